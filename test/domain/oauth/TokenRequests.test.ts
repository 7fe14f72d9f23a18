import { assert, it } from "@effect/vitest"
import { ownResource, withGrantedScopes, withOwnResource } from "../../../src/domain/oauth/OAuthExchange.ts"

const own = "https://book.example.com/mcp/connect"

it("a resource is one address, whatever the case of its host, its default port or a slash at its end", () => {
  for (const same of [
    own,
    `${own}/`,
    "https://Book.Example.COM/mcp/connect",
    "HTTPS://book.example.com:443/mcp/connect/"
  ]) {
    assert.strictEqual(ownResource(same, own), own, same)
  }
  for (const other of [
    "",
    "https://book.example.com",
    "https://book.example.com:444/mcp/connect",
    "http://book.example.com/mcp/connect",
    "https://book.example.com/mcp",
    "https://book.example.com/mcp/Connect",
    "https://book.example.com/mcp/connect//",
    "https://book.example.com/mcp/connect?a=b",
    "https://book.example.com/mcp/connect#",
    "https://book.example.com.evil.example/mcp/connect",
    "https://book.example.com@evil.example/mcp/connect",
    "https://book.example.com\\@evil.example/mcp/connect",
    "https:book.example.com/mcp/connect"
  ])
    assert.isUndefined(ownResource(other, own), other)
})

it("a request for a token keeps everything that is not its resource or its scopes, byte for byte if it names neither", () => {
  const plain = "grant_type=refresh_token&refresh_token=a%2Bb+c"
  assert.strictEqual(withOwnResource(plain, own), plain)
  const named = `${plain}&resource=${encodeURIComponent(`${own}/`)}`
  assert.strictEqual(withOwnResource(named, own), `${plain}&resource=${encodeURIComponent(own)}`)
  assert.isUndefined(withOwnResource(`${named}&resource=https%3A%2F%2Fevil.example%2F`, own))
  assert.strictEqual(withGrantedScopes(plain, new Set(["a"])), plain)
  assert.strictEqual(withGrantedScopes(`${plain}&scope=b+a`, new Set(["a"])), `${plain}&scope=a`)
  // Nothing of it was granted: left for the library to refuse.
  assert.strictEqual(withGrantedScopes(`${plain}&scope=b`, new Set(["a"])), `${plain}&scope=b`)
})
