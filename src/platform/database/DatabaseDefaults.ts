/**
 * Checks what a database was made with, or given, and what the service counts on.
 *
 * Isolation: transactions see what others commit after they have begun (`read committed`, PostgreSQL's own default).
 * What is decided under a lock is read after the wait for it. In the stricter levels that read would show the time
 * before the wait, and calls that meet would fail at random.
 *
 * Letters: names, e-mail addresses and words of searches are compared in lower case, by the database's own locale: in a
 * Turkish or Azeri one `I` is not the capital of `i`, so IRIS@example.com and iris@example.com are two persons. With the
 * locale `C`, that holds for É and é: who makes a database is told, and what has been in use so far goes on.
 */
import { Effect, Schema } from "effect"
import type { SqlClient, SqlError } from "effect/sql"
import { decodeRows } from "./Rows.ts"

/** The database, or the role, has another level of isolation. */
class IsolationUnfit extends Schema.TaggedError<IsolationUnfit>()("IsolationUnfit", {
  isolation: Schema.String
}) {
  override get message(): string {
    return `DATABASE_URL leads to a database whose transactions are "${this.isolation}" by default, so that calls that meet would fail at random. Give it, or this role, PostgreSQL's own default: alter database … set default_transaction_isolation = 'read committed', or alter role … set the same.`
  }
}

/** The database has another encoding, or a locale with other pairs of capitals and small letters. */
class LocaleUnfit extends Schema.TaggedError<LocaleUnfit>()("LocaleUnfit", {
  why: Schema.String,
  used: Schema.Boolean
}) {
  override get message(): string {
    const how = `create database playroom template template0 encoding 'UTF8' locale 'C.UTF-8' (or another that this server has, as 'en_US.UTF-8')`
    const bring = this.used ? " What is in this one comes along by pg_dump and pg_restore: docs/backup.md." : ""
    return `DATABASE_URL leads to a database ${this.why}. That can't be changed later, so make another: ${how}.${bring}`
  }
}

const Defaults = Schema.Struct({
  isolation: Schema.String,
  encoding: Schema.String,
  /** The locale's name, as far as it has one. */
  locale: Schema.String,
  /** Whether `lower` and the text search know the small letters of English, and of the rest. */
  english: Schema.Boolean,
  others: Schema.Boolean,
  /** Whether the service has been here before. */
  used: Schema.Boolean
})
const defaultsOf = decodeRows(Schema.Tuple([Defaults]))

const readDefaults = (sql: SqlClient.SqlClient) =>
  defaultsOf(sql`select
    current_setting('default_transaction_isolation') as isolation, current_setting('server_encoding') as encoding,
    d.datctype::text as locale,
    lower('I') = 'i' and to_tsvector('simple'::regconfig, 'IRIS')::text = '''iris'':1' as english,
    lower('É') = 'é' and to_tsvector('simple'::regconfig, 'ÉCOLE')::text = '''école'':1' as others,
    to_regclass('schema_migration') is not null as used
    from pg_database d where d.datname = current_database()`)

const localeFault = ({ encoding, english, locale, others }: typeof Defaults.Type): string | undefined => {
  if (encoding !== "UTF8") return `with the encoding ${encoding}, where names and texts need UTF8`
  if (!english)
    return `whose locale (${locale}, or that of its ICU) does not take "i" for the small letter of "I", as the Turkish does, so that one person's e-mail address in capitals would be another person's`
  if (!others)
    return `whose locale, ${locale}, does not know the small letters of others than English ("É"), so that one person's two spellings of a name would be two persons`
  return undefined
}

/**
 * Fails where the service would go wrong with a client's database. A locale that knows English alone is refused for a
 * new database, and warned of in one that is in use.
 */
export const refuseUnfitDefaults = Effect.fnUntraced(function* (
  sql: SqlClient.SqlClient
): Effect.fn.Return<void, IsolationUnfit | LocaleUnfit | SqlError.SqlError> {
  const [defaults] = yield* readDefaults(sql)
  const { encoding, english, isolation, used } = defaults
  if (isolation !== "read committed") return yield* new IsolationUnfit({ isolation })
  const why = localeFault(defaults)
  if (why === undefined) return undefined
  const unfit = new LocaleUnfit({ why, used })
  if (used && english && encoding === "UTF8") return yield* Effect.logWarning(unfit.message)
  return yield* unfit
})
