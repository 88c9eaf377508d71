import { execFile } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import test from 'ava'
import { configurationTypes } from '../scripts/typed-configuration.ts'
import { configKeys } from '../src/core/config/index.ts'
import { hosts, planSite } from '../src/site/init/index.ts'
import { definitions } from '../src/testkit/definitions.ts'
import { thorough } from './support/parts.ts'

const root = join(import.meta.dirname, '..')

test('the types of the configuration match its schemas (mend: npm run docs)', (t) => {
  const types = configurationTypes()
  t.is(readFileSync(join(root, 'src/generated/configuration-keys.ts'), 'utf8'), types)
  for (const { key, description } of configKeys(definitions).filter(({ isSection }) => !isSection)) {
    t.true(types.includes(description), `${key} is said what it is for`)
    if (!/[{[]/.test(key)) t.true(types.includes(`'${key}'?: `), `${key} is there with its dots`)
  }
})

/** What a site declares of itself. */
const register = `
declare module 'membership' {
  interface Register {
    gates: 'pro' | 'basic'
    features: 'archive' | 'export'
    limits: 'exports'
    prices: 'price_1' | 'basic_monthly'
    providers: 'stripe' | 'sandbox' | 'acme' | 'razorpay'
    plans: 'pro' | 'basic'
    fields: { nickname: string }
  }
}
`

const good = `
import { createMembership, defineProvider, env, type MembershipOptions, type RegisterOf } from 'membership'

const plans = { pro: { name: 'Pro', prices: ['price_1', { id: 'price_2', amount: 900, currency: 'EUR', interval: 'month' as const }] } }
export const options: MembershipOptions[] = [
  { 'membership.ratelimit.limit': 30, 'membership.ratelimit': { limit: env('LIMIT') } },
  { membership: { database: { url: 'sqlite:a.db' }, providers: { stripe: { secret: env('A'), webhook: { eu: ['a', 'b'] }, plans } } } },
  { 'membership.providers.stripe.plans.pro.prices': ['price_1'], 'membership.providers.stripe.plans.pro': { group: 'a' } },
  { 'membership.providers': { sandbox: {} }, 'membership.provider.handler': 'sandbox' },
  { 'membership.providers.acme.anything': 1, membership: { providers: { acme: { webhook: 'a', own: true } } } },
  { 'membership.providers.stripe.metadata': ({ user, price }) => ({ who: user?.id ?? '', what: price }) },
  { 'membership.secret': process.env.SECRET, 'membership.reports.system': null, 'membership.mails.kinds': ['welcome'] },
]
const m = await createMembership(options[0])
m.gate('pro')
m.allows(['price_1', 'basic'])
m.allows('export')
m.gate(['archive', 'pro'])
const seen = {
  pro: { opens: ['archive', 'export'], limits: { exports: { amount: 100, every: 'month' } }, prices: ['price_9', { id: 'price_10' }] },
  basic: { opens: ['archive'], prices: ['price_8'], retired: ['price_7'] },
} as const
type Names = RegisterOf<typeof seen>
export const names: [Names['gates'], Names['features'], Names['limits'], Names['prices'], Names['prices'], Names['prices']] = ['basic', 'export', 'exports', 'price_7', 'price_8', 'price_10']
export const configured: MembershipOptions = { 'membership.providers.stripe.plans': seen }
m.provider('stripe')
const user = m.user()
export const customer: string | null | undefined = user?.content('stripe').customer_id
export const nickname: string | undefined = user?.content('nickname')
export { defineProvider }
`

// Each line would compile if what it tries were allowed; then the compiler complains of the comment.
const bad = `
import { createMembership, defineProvider, isMembershipError, MembershipError, type MembershipOptions, type RegisterOf } from 'membership'
import { z } from 'zod'

const m = await createMembership()
const refused: (MembershipOptions | unknown)[] = []
const take = (options: MembershipOptions) => refused.push(options)
// @ts-expect-error
take({ 'membership.ratelimit.limt': 30 })
// @ts-expect-error
take({ 'membership.ratelimit.limit': '30' })
// @ts-expect-error
take({ 'membership.language': 5 })
// @ts-expect-error
take({ membership: { ratelimit: { limt: 30 } } })
// @ts-expect-error
take({ membership: { language: 5 } })
// @ts-expect-error
take({ 'membership.database': { synchronous: 'fast' } })
// @ts-expect-error
take({ 'membership.providers.stirpe': {} })
// @ts-expect-error
take({ 'membership.providers.stripe.secert': 'a' })
// @ts-expect-error
take({ 'membership.providers.stripe': { secert: 'a' } })
// @ts-expect-error
take({ membership: { providers: { stripe: { client_id: 'of another provider' } } } })
// @ts-expect-error
take({ 'membership.providers.stripe.plans': { pro: { pirces: ['price_1'] } } })
// @ts-expect-error
take({ 'membership.providers.stripe.plans': { pro: { prices: 'price_1' } } })
// @ts-expect-error
take({ 'membership.provider.handler': 'stirpe' })
// @ts-expect-error
take({ providers: { stripe: { secret: 'a' } } })
// @ts-expect-error
take({ indentify: () => null })
// @ts-expect-error
take({ hooks: { 'payment.recieved': () => undefined } })
// @ts-expect-error
m.gate('por')
// @ts-expect-error
m.allows('exprot')
// @ts-expect-error
m.user()?.hasGate('exprot')
// @ts-expect-error
m.guard('exprot')
// @ts-expect-error
take({ 'membership.providers.stripe.plans': { pro: { opens: 'export' } } })
// @ts-expect-error
take({ 'membership.providers.stripe.plans': { pro: { limits: { exports: { amount: 1, every: 'mnth' } } } } })
const seen = { pro: { opens: ['export'], prices: ['price_9'] } } as const
// @ts-expect-error
export const mistyped: RegisterOf<typeof seen>['features'] = 'exprot'
// @ts-expect-error
export const mistypedPlan: RegisterOf<typeof seen>['plans'] = 'por'
// @ts-expect-error
m.provider('stirpe')
// @ts-expect-error
m.user()?.content('nikname')
// @ts-expect-error
createMembership().koa()
// @ts-expect-error
take({ 'membership.providers.stripe.plans.pro': { name: 'Pro', nmae: 'Pro' } })
// @ts-expect-error
take({ 'membership.providers.stripe.plans.pro': 5 })
const user = m.user()!
const by = 'Op'
// @ts-expect-error
m.users.grant({ memberId: 'a', gate: 'por' })
// @ts-expect-error
m.checkout.start({ user, plan: 'por' })
// @ts-expect-error
m.checkout.start({ user })
// @ts-expect-error
m.checkout.start({ user, plan: 'pro', provider: 'stirpe' })
// @ts-expect-error
m.subscriptions.portal({ user, provider: 'stirpe' })
// @ts-expect-error
m.invoices.list({ user, provider: 'stirpe' })
// @ts-expect-error
m.operator.compare({ provider: 'stirpe' })
// @ts-expect-error
m.webhooks.sign('stirpe', Buffer.from(''))
// @ts-expect-error
user.customerId('stirpe')
// @ts-expect-error
m.payments.assign({ id: 'a', by })
// @ts-expect-error
take({ hooks: { before: { 'trial.ending': () => undefined } } })
const result = await m.guard('pro')(new Request('https://a.example'))
// @ts-expect-error
result.error.status
const action = m.provider().subscriptionAction('price_1')
// @ts-expect-error
action.subscription_id
// @ts-expect-error
isMembershipError(new Error(), 'ERR_GATDE')
// @ts-expect-error
new MembershipError('ERR_ACTION_REFUSED', 'no reason is given')
const acme = defineProvider({ key: 'acmee', options: z.strictObject({}), create: () => ({}) as never })
// @ts-expect-error
createMembership({ customProviders: [acme], 'membership.providers.acmme.webhook': 'a' })
createMembership({ customProviders: [acme], 'membership.providers.acmee.webhook': 'a' })
`

// A site whose plans are in code: `definePlans` names them without `declare module`.
const defined = `
import { createMembership, definePlans, isMembershipError, type Membership } from 'membership'
import { expressHost } from 'membership/express'
import { nextHost } from 'membership/next'

const plans = definePlans({
  basic: { name: 'Basic', opens: ['archive'], limits: { exports: { amount: 10, every: 'month' } }, prices: ['basic_monthly'] },
  pro: {
    opens: ['archive', 'export'],
    prices: { stripe: ['price_1', { id: 'price_2', amount: 900, currency: 'EUR', interval: 'month' }] },
    retired: { stripe: ['price_0'] },
  },
  both: { prices: [{ id: { stripe: 'price_3', paddle: 'pri_3' }, trial_days: 7 }] },
})
const m = await createMembership({ membership: { plans, providers: { sandbox: {} } }, root: false })
const dotted = await createMembership({ 'membership.plans': plans, 'membership.provider.handler': 'sandbox' })
createMembership({ membership: { plans: { gold: { prices: ['g'] } } } })
m.allows('export')
m.allows(['basic', 'price_0', 'pri_3', 'price_2'])
m.gate('pro')
m.user()?.hasGate('archive')
m.user()?.limit('exports')
const view = await m.viewOf(null)
view.allows('pro')
view.provider().subscriptionAction(m.plans()[0]!.prices[0]!.id)
const host: Membership<typeof m extends Membership<infer N> ? N : never> = m
expressHost(m).gate('export')
nextHost(async () => m).gate('both', '/')
// @ts-expect-error
expressHost(m).gate('exprot')
// @ts-expect-error
nextHost(async () => m).gate('por', '/')
dotted.allows('both')
// @ts-expect-error
m.allows('exprot')
// @ts-expect-error
dotted.guard('por')
// @ts-expect-error
m.user()?.hasGate('pr')
// @ts-expect-error
m.user()?.limit('exprts')
// @ts-expect-error
view.allows('por')
// @ts-expect-error
m.users.grant({ memberId: 'a', gate: 'por' })
// @ts-expect-error
m.checkout.start({ user: m.user()!, plan: 'por' })
// @ts-expect-error
m.limits.use('id', 'exprts')
try {
  await m.limits.use('id', 'exports')
} catch (error) {
  if (!isMembershipError(error, 'ERR_LIMIT')) throw error
  const [topUp] = error.extensions.top_ups
  console.log(error.extensions.limit.resets_at, error.extensions.opens_more[0]?.plan, topUp?.price)
  // @ts-expect-error
  error.extensions.limit.resetsAt
}
const everybody = async (cursor?: string | null): Promise<void> => {
  const { next } = await m.users.list({ cursor })
  if (next !== null) await everybody(next)
}
// @ts-expect-error
definePlans({ pro: { pirces: ['a'] } })
// @ts-expect-error
definePlans({ pro: { limits: { exports: { amount: 1, every: 'mnth' } } } })
// @ts-expect-error
definePlans({ pro: { prices: [{ id: 'a', amuont: 900 }] } })
// @ts-expect-error
createMembership({ membership: { plans: { gold: { pirces: ['g'] } } } })
// @ts-expect-error
createMembership({ 'membership.plans': { gold: { pirces: ['g'] } } })
// @ts-expect-error
createMembership({ membership: { plans, provdiers: {} } })
export { everybody, host }
`

// Sites of the frameworks, with their own slices of the host's types.
const frameworks = `
import type { Membership } from 'membership'
import membership, { astroHost, type AstroContext } from 'membership/astro'
import { ALL, prerender } from 'membership/astro/route'
import nuxt, { type NuxtOptions } from 'membership/nuxt'
import { useMembership } from 'membership/nuxt/app'
import { gated, nuxtHost, type NuxtEvent } from 'membership/nuxt/server'
import { reactRouterHost } from 'membership/react-router'
import strapi, { membershipOf, requires, type StrapiOptions } from 'membership/strapi'
import { svelteKitHost, type SvelteKitEvent } from 'membership/sveltekit'

declare const open: () => Promise<Membership>
const kit = svelteKitHost(open, { gates: { '/(members)': 'pro', '/export': ['archive', 'export'] } })
export const { init, handle } = kit
export const GET = kit.gated('export', async ({ locals, url }: SvelteKitEvent) => Response.json({ to: locals.membership.user()?.id, url }))
export const integration = membership({ config: './site', gates: { '/archive': 'archive' } })
const astro = astroHost(open, { gates: { '/archive': ['pro'] } })
export const own = astro.gated(['basic', 'pro'], ({ locals }: AstroContext) => new Response(String(locals.membership.allows('pro'))))
export const route: [Response, boolean] = [ALL(), prerender]
const router = reactRouterHost(open)
export const { plugin } = nuxtHost(open)
export const endpoint = gated(['basic', 'pro'], ({ path }: NuxtEvent) => path, { free: 3 })
export const nuxtOptions: [NuxtOptions, typeof nuxt] = [{ config: './site' }, nuxt]
export const shown = async () => {
  const { visitor, allows } = await useMembership()
  return allows('pro') ? visitor.value?.member?.email : useMembership().visitor.value?.plans
}
export const middleware = [router.middleware, router.gate(['archive', 'pro'])]
export const policies = [requires('pro', 'export')]
export const options: StrapiOptions = { cookie: 'jwt', isEditor: (user) => user.role?.type === 'editor', gates: ['pro'] }
export const ofStrapi: [Membership, typeof strapi] = [membershipOf({}), strapi]

// @ts-expect-error
svelteKitHost(open, { gates: { '/(members)': 'por' } })
// @ts-expect-error
kit.gated('exprot', () => new Response())
// @ts-expect-error
gated('exprot', () => '')
// @ts-expect-error
useMembership().visitor.value?.mail
// @ts-expect-error
membership({ gates: { '/archive': 'exprot' } })
// @ts-expect-error
membership({ confg: './site' })
// @ts-expect-error
astro.gated('por', () => new Response())
// @ts-expect-error
router.gate('por')
// @ts-expect-error
requires('por')
// @ts-expect-error
export const misspelt: StrapiOptions = { gates: ['por'] }
`

// What a site of Next has of it: as much as the written files use.
const next = `
declare module 'next/headers' {
  export const headers: () => Promise<Headers>
  export const cookies: () => Promise<{ getAll(): readonly { readonly name: string; readonly value: string }[]; set(cookie: { name: string; value: string } & Record<string, unknown>): unknown }>
}
declare module 'next/navigation' {
  export const redirect: (url: string) => never
}
declare namespace React { type ReactNode = unknown }
declare namespace JSX {
  interface IntrinsicElements { [name: string]: unknown }
}
`

thorough(test)(
  'keys autocomplete, and misspelt or mistyped ones do not compile; init’s files compile for every host',
  async (t) => {
    // Inside the project, so that its packages are found.
    const folder = await mkdtemp(join(root, '.types-'))
    t.teardown(() => rm(folder, { recursive: true, force: true }))
    // A site sees the declarations of the package, not its code.
    const compiler = join(root, 'node_modules/typescript-native/bin/tsc')
    const emitting = ['-p', 'tsconfig.build.json', '--emitDeclarationOnly', '--outDir', join(folder, 'types')]
    await promisify(execFile)(process.execPath, [compiler, ...emitting], { cwd: root })
    const programs = join(root, 'examples/programs')
    const files: Record<string, string> = {
      ...Object.fromEntries(
        readdirSync(programs).map((name) => [`programs/${name}`, readFileSync(join(programs, name), 'utf8')]),
      ),
      'package.json': '{ "type": "module" }',
      'tsconfig.json': JSON.stringify({
        extends: '../tsconfig.json',
        compilerOptions: {
          lib: ['ES2023', 'DOM'],
          jsx: 'preserve',
          noUnusedLocals: false,
          // Next's own files leave out endings.
          module: 'ESNext',
          moduleResolution: 'Bundler',
          allowImportingTsExtensions: true,
          rewriteRelativeImportExtensions: false,
          skipLibCheck: false,
          exactOptionalPropertyTypes: true,
          paths: {
            membership: ['./types/index.d.ts'],
            'membership/testkit': ['./types/testkit/index.d.ts'],
            'membership/astro/route': ['./types/entries/astro-route.d.ts'],
            'membership/nuxt/app': ['./types/entries/nuxt-app.d.ts'],
            'membership/nuxt/server': ['./types/entries/nuxt-server.d.ts'],
            'membership/*': ['./types/entries/*.d.ts'],
          },
        },
        include: ['**/*'],
        exclude: ['types'],
      }),
      'register.ts': `import 'membership'\n${register}`,
      'good.ts': good,
      'bad.ts': bad,
      'defined.ts': defined,
      'frameworks.ts': frameworks,
      'next.d.ts': next,
    }
    const ways = ['log', 'smtp', 'none'] as const
    for (const [i, host] of hosts.entries()) {
      const answers = {
        host,
        database: 'sqlite',
        provider: 'sandbox',
        mails: ways[i % 3]!,
        index: null,
      } as const
      for (const { path, after } of planSite(join(folder, host), answers, []).files)
        if (/\.tsx?$/.test(path)) files[`${host}/${path}`] = after
    }
    for (const [name, text] of Object.entries(files)) {
      await mkdir(dirname(join(folder, name)), { recursive: true })
      await writeFile(join(folder, name), text)
    }
    const compiled = await promisify(execFile)(process.execPath, [compiler, '--noEmit', '-p', folder]).catch(
      (error: { stdout: string }) => error,
    )
    t.is(compiled.stdout, '')
  },
)
