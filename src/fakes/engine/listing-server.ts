import type { CreateAccount, TellFact } from './account.ts'
import type { Json } from './api.ts'
import { openFakeServer } from './engine.ts'
import type { JsonViews, ServerContext, Speech } from './fake-server.ts'
import type { AnyObject, Kind, Objects } from './objects.ts'
import type { FakeServer, FakeServerOptions } from './options.ts'
import type { ApiHandler, PageHandler } from './server.ts'
import type { World } from './world.ts'

/** A fake server with access to its stored objects, as its API shows them, oldest first. */
export type ListingFakeServer<Name extends string, Shown extends Json = Json> = FakeServer<JsonViews> & {
  readonly objects: { list(kind: Name): Shown[] }
}

/** Views of an account's objects by kind. */
export type Shapes<A> = { readonly [K in Kind]?: (account: A, object: Objects[K]) => Json }

/** Builds the API of an account, for clients with this key. */
export type ApiHandlerOf<A> = (account: A, secret: string, context: ServerContext) => ApiHandler

/** Parts of a fake server with one account. */
export interface ListingParts<A, Name extends string, Shown extends Json>
  extends Pick<Speech<JsonViews>, 'errorOf' | 'sign'> {
  /** API key, unless the options set another. */
  readonly secret: string
  readonly account: CreateAccount<A>
  readonly tell: TellFact<A>
  readonly shapes: Shapes<A>
  /** Default: a declined card. */
  readonly refusalText?: string
  /** Approves on the page: see `Speech`. */
  agree?(account: A): NonNullable<Speech['agree']>
  readonly api: ApiHandlerOf<A>
  page(account: A): PageHandler
  /** Returns the objects of each list. */
  lists(account: A): { readonly [K in Name]: () => Shown[] }
}

/** Starts a fake server with one account, and returns both. */
export async function openListingServer<
  A extends { readonly world: World },
  Name extends string,
  Shown extends Json = Json,
>(
  options: FakeServerOptions,
  parts: ListingParts<A, Name, Shown>,
): Promise<{ readonly server: ListingFakeServer<Name, Shown>; readonly account: A }> {
  let account!: A
  const secret = options.secret ?? parts.secret
  const server = await openFakeServer<JsonViews>(options, (context) => {
    account = parts.account(options, context, parts.tell)
    return {
      secret,
      world: account.world,
      show: showAs(account, parts.shapes),
      refusalText: () => parts.refusalText ?? 'Your card was declined.',
      errorOf: parts.errorOf,
      ...(parts.agree === undefined ? {} : { agree: parts.agree(account) }),
      api: parts.api(account, secret, context),
      page: parts.page(account),
      sign: parts.sign,
    }
  })
  const lists = parts.lists(account)
  return { account, server: { ...server, objects: { list: (kind) => lists[kind]() } } }
}

/** Shows each kind by its function; a kind that the provider lacks is shown by id only. */
export function showAs<A>(account: A, shapes: Shapes<A>): Speech<JsonViews>['show'] {
  return (object: AnyObject) =>
    (shapes[object.kind] as ((account: A, object: AnyObject) => Json) | undefined)?.(account, object) ?? {
      id: object.id,
    }
}
