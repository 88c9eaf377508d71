import type { GateId } from '../core/register.ts'
import type { View } from '../memberships/members/index.ts'
import { type IdentifyInput, noteHost } from '../site/identify-input.ts'
import { createMembership, type Membership } from '../site/membership.ts'
import type { Identify, Identity, MembershipOptions } from '../site/options.ts'
import { type GateChoice, gateChoicesIn, isGroup } from './gate-choices.ts'
import { openedOnce } from './opened-once.ts'

/** A user of one of Payload's collections with `auth`. */
export interface PayloadUser {
  readonly id: string | number
  readonly collection?: string
  readonly email?: string | null
  readonly name?: unknown
  readonly _verified?: boolean | null
  readonly [field: string]: unknown
}

/** Payload's request: the web-standard one, with the user and the running Payload in it. */
export interface PayloadRequest {
  readonly headers: Headers
  readonly user?: object | null
  readonly payload: object
}

/** A query constraint of Payload. */
export interface PayloadWhere {
  [field: string]: PayloadWhere[] | { in?: string[]; equals?: string; exists?: boolean } | undefined
  and?: PayloadWhere[]
  or?: PayloadWhere[]
}

/** Access of a collection: everything, nothing, or the documents of a constraint. */
export type PayloadAccess = (input: { readonly req: PayloadRequest }) => Promise<boolean | PayloadWhere>
/** Access of a field. */
export type PayloadFieldAccess = (input: { readonly req: PayloadRequest }) => Promise<boolean>

/** The input of Payload to the access of a field. */
interface PayloadFieldInput {
  readonly req: PayloadRequest
  readonly id?: string | number
  readonly doc?: { readonly id?: string | number }
}

/** Options of `membershipPlugin`. */
export interface PayloadOptions {
  /** Options of `createMembership`, without `identify`. Files in `config/` are read, too. */
  readonly membership?: Omit<MembershipOptions, 'identify' | 'install'>
  /** The collection whose users are the members. It has `auth`. */
  readonly members: string
  /**
   * True for a user who edits content and therefore reads all of it. By default the users of Payload's admin
   * are editors. It is required where members and editors share a collection.
   */
  readonly isEditor?: (user: PayloadUser) => boolean
  /** True if the user proved to own the address. By default Payload's own verification (`auth.verify`) counts. */
  readonly isVerified?: (user: PayloadUser) => boolean
  /**
   * Choices of the field `gate`, beside the plans and features in `membership`. Name them where your plans
   * are in a configuration file.
   */
  readonly gates?: readonly GateId[]
  /** Path or address of your login page; it gets the path to return to as `redirect`. */
  readonly loginPage?: string
  /** True for an editor who gets the link to the office in the admin's navigation. Absent: no link. */
  readonly showsOffice?: (user: PayloadUser) => boolean
}

/** The parts of Payload's configuration that the plugin reads and extends. */
interface Config {
  admin?: { user?: string; components?: { afterNavLinks?: unknown[] } }
  collections?: Collection[]
  custom?: Record<string, unknown>
  endpoints?: unknown[]
  routes?: { api?: string }
}
interface Collection {
  slug: string
  access?: Record<string, unknown>
  fields: unknown[]
  hooks?: { beforeDelete?: unknown[] }
  versions?: unknown
}
/** The parts of a running Payload. */
interface Running {
  readonly config: {
    readonly custom?: Readonly<Record<string, unknown>>
    readonly cookiePrefix?: string
    readonly routes: { readonly api: string }
  }
  readonly collections: Readonly<Record<string, { readonly config: { readonly auth: object } }>>
  auth(input: { headers: Headers }): Promise<{ readonly user: PayloadUser | null }>
  find(input: object): Promise<{ readonly docs: readonly unknown[] }>
  delete(input: object): Promise<unknown>
}

/** The membership of one Payload. */
interface Host {
  readonly instance: (payload: Running) => Promise<Membership>
  readonly isEditor: (user: PayloadUser) => boolean
  readonly isShownOffice: (user: PayloadUser) => boolean
  readonly viewOf: (req: PayloadRequest) => Promise<View>
  readonly gates: readonly string[]
}

const place = 'membership'

/**
 * A plugin of Payload 3: `plugins: [membershipPlugin({ members: 'members', membership: { … } })]`. It connects the users
 * of a collection, gives them a read-only list of their plans, completes the access of collections that use
 * `requires()`, and receives webhooks at `/api/membership/webhooks/{provider}`.
 */
export function membershipPlugin(options: PayloadOptions) {
  return <C extends object>(given: C): C => {
    const config = given as C & Config
    const adminUser = config.admin?.user ?? 'users'
    if (options.isEditor === undefined && options.members === adminUser)
      throw new Error(
        `membershipPlugin: members and editors share the collection "${adminUser}". Give isEditor, so that members are not taken for editors.`,
      )
    const gates = gateChoicesIn(options)
    const host = createHost(options, {
      gates: gates.map(({ value }) => value),
      isEditor: options.isEditor ?? ((user) => user.collection === adminUser),
    })
    const collections = config.collections?.map((collection) => {
      const gated = completed(collection, gates)
      return gated.slug === options.members ? withMembers(gated, host) : gated
    })
    const link = options.showsOffice === undefined ? [] : ['membership/payload/office-link#OfficeLink']
    const components = config.admin?.components
    return {
      ...config,
      ...(collections ? { collections } : {}),
      admin: {
        ...config.admin,
        components: { ...components, afterNavLinks: [...(components?.afterNavLinks ?? []), ...link] },
      },
      custom: { ...config.custom, [place]: host },
      endpoints: [...(config.endpoints ?? []), ...endpoints],
    }
  }
}

/**
 * Read access of a collection. Editors read everything. Others read the published documents whose `gate` is open for
 * them; a document without one needs one of `gates`, or nothing where none are named. Put it into `access.read`: the
 * plugin adds the field `gate`, and closes versions, drafts and changes in the same way. A collection that the plugin
 * does not know stays closed, so the plugin comes after those that add collections.
 */
export function requires(...gates: readonly GateId[]): PayloadAccess {
  return Object.assign(async () => false, { [marker]: gates })
}

/** Read access of a field: editors, and members with one of the gates. Others get the document without the field. */
export function requiresField(...gates: readonly GateId[]): PayloadFieldAccess {
  return async ({ req }) => {
    const host = hostOf(req)
    return isEditing(host, req) || (await host.viewOf(req)).allows(gates)
  }
}

/** Returns the visitor's view, in endpoints and hooks. In pages, give the result of `payload.auth({ headers })`. */
export function viewOf(req: PayloadRequest): Promise<View> {
  return hostOf(req).viewOf(req)
}

/** Returns the instance of a running Payload. */
export function membershipOf(payload: object): Promise<Membership> {
  return hostOf({ payload, headers: new Headers() }).instance(payload as Running)
}

/**
 * Handlers for `app/membership/[...path]/route.ts`: `export const { GET, POST } = membershipRoutes(config)`.
 * They show the pages of members and the office.
 */
export function membershipRoutes(config: object | Promise<object>) {
  const answer = async (request: Request): Promise<Response> => {
    const { getPayload } = await import('payload')
    const m = await membershipOf(await getPayload({ config }))
    noteHost(request, { kind: 'next', request })
    return m.fetch(request)
  }
  return { GET: answer, HEAD: answer, POST: answer, PATCH: answer, PUT: answer, DELETE: answer }
}

/** The address of the office, if the admin shows this user a link to it. */
export async function shownOffice({
  payload,
  user,
}: {
  payload: object
  user?: object | null
}): Promise<string | null> {
  const host = hostOf({ payload, headers: new Headers() })
  if (user == null || !host.isShownOffice(user as PayloadUser)) return null
  const m = await host.instance(payload as Running)
  return `${m.operator.config.base_path}/membership/office`
}

function hostOf({ payload }: PayloadRequest): Host {
  const host = (payload as Running).config.custom?.[place] as Host | undefined
  if (host) return host
  throw new Error('membership: add membershipPlugin() to the plugins of your Payload configuration.')
}

const marker = Symbol.for('membership.requires')

function isEditing(host: Host, { user }: PayloadRequest): boolean {
  return user != null && host.isEditor(user as PayloadUser)
}

function accessTo(
  gates: readonly string[],
  { prefix, hasDrafts }: { readonly prefix: '' | 'version.'; readonly hasDrafts: boolean },
): PayloadAccess {
  return async ({ req }) => {
    const host = hostOf(req)
    if (isEditing(host, req)) return true
    const view = await host.viewOf(req)
    const open = host.gates.filter((gate) => view.allows(gate))
    const gate = `${prefix}gate`
    const isFree = gates.length === 0 || view.allows(gates)
    const choices: PayloadWhere[] = [
      ...(isFree ? [{ [gate]: { exists: false } }] : []),
      ...(open.length > 0 ? [{ [gate]: { in: open } }] : []),
    ]
    // A constraint that no document meets: lists are empty, and a single document is not found.
    if (choices.length === 0) return { id: { exists: false } }
    const isPublished = hasDrafts ? [{ [`${prefix}_status`]: { equals: 'published' } }] : []
    return { and: [{ or: choices }, ...isPublished] }
  }
}

/** Completes a collection that uses `requires()`. Payload's defaults let every user read versions and change documents. */
function completed(collection: Collection, choices: readonly GateChoice[]): Collection {
  const gates = (collection.access?.read as { [marker]?: readonly string[] } | undefined)?.[marker]
  if (gates === undefined) return collection
  const { versions } = collection
  const hasDrafts = isGroup(versions) && Boolean((versions as { drafts?: unknown }).drafts)
  const hasGate = collection.fields.some((field) => (field as { name?: string }).name === 'gate')
  const editors = async ({ req }: { req: PayloadRequest }) => isEditing(hostOf(req), req)
  return {
    ...collection,
    access: {
      create: editors,
      update: editors,
      delete: editors,
      readVersions: accessTo(gates, { prefix: 'version.', hasDrafts }),
      ...collection.access,
      read: accessTo(gates, { prefix: '', hasDrafts }),
    },
    fields: hasGate ? collection.fields : [...collection.fields, gateField(choices)],
  }
}

/** The field by which editors say who may read a document. */
function gateField(options: readonly GateChoice[]) {
  return {
    name: 'gate',
    type: 'select',
    label: { en: 'Who may read this', de: 'Wer das lesen darf' },
    index: true,
    options,
    admin: {
      position: 'sidebar',
      description: {
        en: 'A plan or a feature. Empty: as the collection says.',
        de: 'Ein Tarif oder eine Funktion. Leer: wie für die Sammlung festgelegt.',
      },
    },
  }
}

function withMembers(collection: Collection, host: Host): Collection {
  const loginId = (id: string | number) => `${collection.slug}:${id}`
  const plans = async ({
    req,
    originalDoc,
    data,
  }: {
    req: PayloadRequest
    originalDoc?: PayloadUser
    data?: PayloadUser
  }) => {
    const id = originalDoc?.id ?? data?.id
    if (id === undefined) return []
    const m = await host.instance(req.payload as Running)
    const user = await m.users.findByLogin(loginId(id))
    if (user === null) return []
    const open = m.plans().filter((plan) => user.hasGate(plan.id))
    return [...new Set(open.map((plan) => plan.name ?? plan.id))]
  }
  const own = async ({ req, id, doc }: PayloadFieldInput): Promise<boolean> => {
    const user = req.user as PayloadUser | null | undefined
    const shown = doc?.id ?? id
    if (isEditing(host, req)) return true
    return user?.collection === collection.slug && shown !== undefined && String(user.id) === String(shown)
  }
  const field = {
    name: 'membershipPlans',
    type: 'text',
    hasMany: true,
    virtual: true,
    label: { en: 'Plans', de: 'Tarife' },
    access: { create: () => false, update: () => false, read: own },
    admin: { readOnly: true, position: 'sidebar' },
    hooks: { afterRead: [plans] },
  }
  const beforeDelete = async ({ id, req }: { id: string | number; req: PayloadRequest }) => {
    await (await host.instance(req.payload as Running)).users.deleteByLogin(loginId(id))
  }
  return {
    ...collection,
    fields: [...collection.fields, field],
    hooks: { ...collection.hooks, beforeDelete: [...(collection.hooks?.beforeDelete ?? []), beforeDelete] },
  }
}

function createHost(options: PayloadOptions, { gates, isEditor }: Pick<Host, 'gates' | 'isEditor'>): Host {
  let running: Running | null = null
  // Access functions know the user already; the request that stands for them carries it.
  const users = new WeakMap<object, PayloadUser | null>()
  const isVerified = options.isVerified ?? ((user: PayloadUser) => user._verified === true)

  const identityOf = (user: PayloadUser | null): Identity => {
    if (user?.collection !== options.members || !user.email || !isVerified(user)) return null
    return {
      email: user.email,
      userId: `${options.members}:${user.id}`,
      ...(typeof user.name === 'string' ? { name: user.name } : {}),
    }
  }
  const identify: Identify = Object.assign(
    async ({ request, headers }: IdentifyInput): Promise<Identity> => {
      const known = request === undefined ? undefined : users.get(request)
      if (known !== undefined) return identityOf(known)
      return identityOf((await running!.auth({ headers })).user)
    },
    {
      signOut: ({ headers }: IdentifyInput) => signOut(running!, headers),
      deleteUser: (userId: string) => deleteUser(running!, options.members, userId),
      ...(options.loginPage === undefined
        ? {}
        : { loginPage: (redirect: string) => `${options.loginPage}?${new URLSearchParams({ redirect })}` }),
    },
  )
  const opened = openedOnce(() => createMembership({ ...options.membership, identify } as MembershipOptions))
  const instance: Host['instance'] = (payload) => {
    running = payload
    return opened()
  }

  // Payload asks for each document and field of a request.
  const views = new WeakMap<object, Promise<View>>()
  const viewOf: Host['viewOf'] = (req) => {
    const known = views.get(req)
    if (known) return known
    const request = new Request('http://localhost/', { headers: req.headers })
    users.set(request, (req.user ?? null) as PayloadUser | null)
    const view = instance(req.payload as Running).then((m) => m.viewOf(request))
    views.set(req, view)
    return view
  }
  return { instance, isEditor, viewOf, gates, isShownOffice: options.showsOffice ?? (() => false) }
}

async function signOut(payload: Running, headers: Headers): Promise<readonly string[]> {
  const { user } = await payload.auth({ headers })
  const collection = payload.collections[user?.collection ?? '']
  if (user === null || collection === undefined) return []
  const { createLocalReq, generateExpiredPayloadCookie, logoutOperation } = await import('payload')
  const req = await createLocalReq({ user }, payload)
  await logoutOperation({ collection, req })
  const cookie = generateExpiredPayloadCookie({
    collectionAuthConfig: collection.config.auth,
    cookiePrefix: payload.config.cookiePrefix ?? 'payload',
    returnCookieAsObject: false,
  })
  return [cookie]
}

async function deleteUser(payload: Running, collection: string, userId: string): Promise<void> {
  const id = userId.slice(collection.length + 1)
  const found = await payload.find({ collection, where: { id: { equals: id } }, limit: 1, depth: 0 })
  const [user] = found.docs as readonly Pick<PayloadUser, 'id'>[]
  // By the id: a deletion by a constraint returns its errors instead of throwing them, as for a locked document.
  // https://payloadcms.com/docs/local-api/overview#delete
  if (user !== undefined) await payload.delete({ collection, id: user.id })
}

/** Routes below Payload's own API, so that webhooks reach `/api/membership/webhooks/{provider}`. */
const endpoints = ['get', 'head', 'post', 'patch', 'put', 'delete'].map((method) => ({
  method,
  path: '/membership/:path*',
  handler: async (req: Request & PayloadRequest): Promise<Response> => {
    const payload = req.payload as Running
    const m = await membershipOf(payload)
    const url = new URL(req.url)
    // Below a path of the site, Next's `basePath`, the API has that path in front.
    const api = `${payload.config.routes.api}/membership/`
    url.pathname = `/membership/${url.pathname.slice(url.pathname.indexOf(api) + api.length)}`
    const request = new Request(url, {
      method: req.method,
      headers: req.headers,
      ...(req.body ? { body: req.body, duplex: 'half' } : {}),
    } as RequestInit)
    noteHost(request, { kind: 'next', request })
    return m.fetch(request)
  },
}))
