/**
 * The order of the test files: one that starts processes or a browser, one that doesn't, and so on until the first are used up. Those
 * take longest and wait much: others use the processors meanwhile, and no worker is left alone with one of them at the end. Apart from
 * that the order is Vitest's: files that took long come first, or large ones if it doesn't know.
 */
import { matchesGlob, relative } from "node:path"
import { BaseSequencer, type TestSpecification } from "vitest/node"
import { wholeSystem } from "../../vitest.config.ts"

const isWholeSystem = ({ moduleId, project }: TestSpecification): boolean =>
  wholeSystem.some((pattern) => matchesGlob(relative(project.config.root, moduleId), pattern))

export class Alternating extends BaseSequencer {
  override async sort(files: Array<TestSpecification>): Promise<Array<TestSpecification>> {
    const sorted = await super.sort(files)
    const whole = sorted.filter(isWholeSystem)
    const others = sorted.filter((file) => !isWholeSystem(file))
    return [...whole.flatMap((file, i) => [file, ...others.slice(i, i + 1)]), ...others.slice(whole.length)]
  }
}
