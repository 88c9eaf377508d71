import type { ApiWords } from './api-errors.ts'
import type { Change, Fetched, ListedPage, ListFrom, Provider, Ref } from './contract.ts'
import { type Json, list } from './narrow.ts'
import { createRest, type RestOptions, type RestRequest, unlessMissing } from './rest.ts'

/** Secret, address and clock of an API client. */
export interface ApiOptions {
  readonly secret: string
  /** Address without a final slash. */
  readonly base: string
  readonly now: () => Date
}

/** Parameters of a request's address. */
export type Query = NonNullable<RestRequest['query']>

/** Content of an answer; `T` is its documented type, whose fields are still to be narrowed. */
export interface Answer<T = Json> {
  readonly raw: T
  /** Not later than the moment at which the provider answered; ISO 8601 UTC. */
  readonly at: string
}

/** One page of a list. */
export interface Page<T = Json> {
  readonly items: readonly T[]
  readonly at: string
  /** Cursor of the next page: its number, or the id after which it begins; null after the last. */
  readonly next: string | null
}

/** Every object of a list, as of the moment of its first page. */
export interface WholeList<T = Json> {
  readonly all: readonly T[]
  readonly at: string
}

/** An API whose objects stand at addresses and in lists with pages. */
export interface ListApi {
  readonly words: ApiWords
  /** @throws ERR_PROVIDER_ANSWER, ERR_PAYMENT_DECLINED */
  ask<T = unknown>(what: string, request: RestRequest): Promise<Answer<T>>
  /** Reads one object; null when the provider does not know it. */
  find<T = unknown>(what: string, path: string, query?: Query): Promise<Answer<T> | null>
  page<T = unknown>(what: string, path: string, query?: Query, after?: string | null): Promise<Page<T>>
  /** Reads every object of a list. */
  all<T = unknown>(what: string, path: string, query?: Query): Promise<WholeList<T>>
}

/** Requests, envelope and pages of an API. */
export interface ListApiOptions extends RestOptions {
  /** Returns the content of an answer about one object; the whole answer by default. */
  content?(raw: Json): Json
  /** Returns the parameters of a page: its size and its place. */
  placeOf(after: string | null): Query
  /** Returns the objects of a page; those below `items` by default. */
  itemsOf?(raw: Json): readonly Json[]
  /** Returns the cursor of the next page; null after the last. */
  nextOf(raw: Json, page: { readonly items: readonly Json[]; readonly after: string | null }): string | null
}

/** Builds the client of such an API. */
export function createListApi(options: ListApiOptions): ListApi {
  const { words, content = (raw) => raw, placeOf, itemsOf = (raw) => list(raw.items), nextOf } = options
  const rest = createRest(options)
  const ask = async <T>(what: string, request: RestRequest): Promise<Answer<T>> => {
    const { raw, at } = await rest.ask<Json>(what, request)
    return { raw: content(raw) as T, at }
  }
  const page = async <T>(
    what: string,
    path: string,
    query: Query = {},
    after: string | null = null,
  ): Promise<Page<T>> => {
    const { raw, at } = await rest.ask<Json>(what, { path, query: { ...placeOf(after), ...query } })
    const items = itemsOf(raw)
    return { items: items as readonly T[], at, next: nextOf(raw, { items, after }) }
  }
  return {
    words,
    ask,
    find: (what, path, query) => unlessMissing(ask(what, query === undefined ? { path } : { path, query })),
    page,
    all: (what, path, query) => allPages((after) => page(what, path, query, after)),
  }
}

/** Reads every page of one list, in order, as of the moment of the first. */
export async function allPages<T>(read: (after: string | null) => Promise<Page<T>>): Promise<WholeList<T>> {
  const first = await read(null)
  const all = [...first.items]
  for (let { next } = first; next !== null; ) {
    const more = await read(next)
    all.push(...more.items)
    next = more.next
  }
  return { all, at: first.at }
}

/**
 * Such an API with its objects read as ledger changes. `Objects` has the payload type of each kind, by the
 * provider's names.
 */
export interface ObjectApi<Objects> extends ListApi {
  /** Reads changes from objects of one kind, as a webhook would report them. */
  toFetched<K extends keyof Objects>(kind: K, raws: readonly Objects[K][], at: string): Fetched
  /** Fetches the current state of one object; null when the provider does not know it. */
  fetch(ref: Ref): Promise<Fetched | null>
}

/** Reads the objects of each kind of reference; null for kinds that the provider does not have. */
export type Fetchers = Readonly<
  Record<Ref['kind'], ((id: string, ref: Ref) => Promise<Fetched | null>) | null>
>

/** Builds `fetch` from a reader for each kind of reference. */
export function fetchBy(fetchers: Fetchers) {
  return async (ref: Ref): Promise<Fetched | null> => (await fetchers[ref.kind]?.(ref.id, ref)) ?? null
}

/** A provider's readers of prices, lists and webhook endpoints, each taking the API. */
interface Readers<Api> {
  prices(api: Api): ReturnType<NonNullable<Provider['prices']>>
  list(api: Api, from?: ListFrom): AsyncIterable<ListedPage>
  endpoints(api: Api): ReturnType<NonNullable<Provider['endpoints']>>
}

/** Binds them to the API of one key. */
export function readersOf<Api extends { fetch(ref: Ref): Promise<Fetched | null> }>(
  api: Api,
  { prices, list, endpoints }: Readers<NoInfer<Api>>,
) {
  return {
    fetch: api.fetch,
    prices: () => prices(api),
    list: (from?: ListFrom) => list(api, from),
    endpoints: () => endpoints(api),
  }
}

/** Reads the changes of objects, all as of one moment. */
export function changesOfAll<Objects>(
  read: <K extends keyof Objects>(kind: K, raw: Objects[K], at: string) => readonly Change[],
) {
  return <K extends keyof Objects>(kind: K, raws: readonly Objects[K][], at: string): Fetched => ({
    changes: raws.flatMap((raw) => read(kind, raw, at)),
    at,
  })
}
