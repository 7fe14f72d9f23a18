/** Health and documents for machines; for people the start page and the documentation. */
import { Effect, Layer } from "effect"
import type { HttpServerResponse } from "effect/http"
import { OpenApi } from "effect/http-api"
import { Api } from "../api/Api.ts"
import { serviceRoutes } from "../api/ServiceRoutes.ts"
import { AppConfig } from "../config/AppConfig.ts"
import type { Language } from "../i18n/Languages.ts"
import { docs } from "./landing/Docs.ts"
import { landing, type OnboardingEnd } from "./landing/Landing.ts"
import { PublishedTools } from "./landing/Tools.ts"
import { type PageRow, pageRoutes } from "./PageTable.ts"

const onboardingEnds = ["done", "expired"] as const

const pages = Effect.gen(function* () {
  const settings = yield* AppConfig
  const { baseUrl } = settings
  // Made once, as the start page is in each language.
  const docsPage = docs(OpenApi.fromApi(Api), baseUrl, yield* PublishedTools)
  const startPages = new Map<string, HttpServerResponse.HttpServerResponse>()
  const startPage = (language: Language, onboarding: OnboardingEnd | undefined) => {
    const key = `${language} ${onboarding}`
    const made = startPages.get(key) ?? landing(settings, language, onboarding)
    startPages.set(key, made)
    return made
  }

  return [
    {
      path: "/",
      show: ({ language, query: { onboarding } }) =>
        Effect.succeed(
          startPage(
            language,
            onboardingEnds.find((end) => end === onboarding)
          )
        )
    },
    { path: "/docs", show: () => Effect.succeed(docsPage) }
  ] satisfies ReadonlyArray<PageRow>
})

export const systemRoutes = Layer.merge(serviceRoutes, pageRoutes(pages))
