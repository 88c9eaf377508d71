/** Writes the pages of keys, docs/reference/configuration-*.md, from the schemas: a page for each group. */
import { isDeepStrictEqual } from 'node:util'
import { type ConfigKey, configKeys } from '../src/core/config/index.ts'
import { definitions } from '../src/testkit/definitions.ts'
import { titleOf } from './provider-tables.ts'

/** A group of keys that are set together. */
export interface ConfigGroup {
  /** The page is docs/reference/configuration-{name}.md. */
  readonly name: string
  readonly title: string
  /** One sentence for the list of groups. */
  readonly about: string
  /** Keys directly below `membership`. */
  readonly keys: readonly string[]
  /** A file of the site with the keys that are changed most. A test loads it. */
  readonly example: string
  readonly more: string
}

export const configGroups: readonly ConfigGroup[] = [
  {
    name: 'site',
    title: 'Configuration: site, secret, database',
    about: 'Address, name, language, secret and database.',
    keys: ['url', 'base_path', 'site', 'name', 'language', 'secret', 'database'],
    example: `membership:
  url: https://example.com
  name: The Gazette
  secret: \${MEMBERSHIP_SECRET}
  database:
    url: \${DATABASE_URL:-sqlite:data/membership.db}`,
    more: 'See [a site below a path](../below-a-path.md), [deploying](../deploying.md) and [several machines](../several-machines.md).',
  },
  {
    name: 'plans',
    title: 'Configuration: plans, prices, features, limits',
    about: 'Plans with their prices, texts, limits and features.',
    keys: ['plans', 'features'],
    example: `membership:
  provider: { handler: sandbox }
  providers: { sandbox: {} }
  plans:
    pro:
      name: Pro
      opens: [archive]
      limits: { exports: { amount: 100, every: month } }
      prices:
        - { id: pro_monthly, amount: 900, currency: EUR, interval: month, trial_days: 14 }
        - { id: pro_yearly, amount: 9000, currency: EUR, interval: year }
  features:
    archive: { name: Archive since 1998 }`,
    more: 'See [sell a subscription](../sell-a-subscription.md), [features](../features.md), [credits and limits](../limits.md) and [texts in other languages](../languages.md#plans-in-other-languages).',
  },
  {
    name: 'providers',
    title: 'Configuration: payment providers',
    about: 'The provider that sells, and the keys of each provider.',
    keys: ['provider', 'providers'],
    example: `membership:
  provider:
    handler: stripe
  providers:
    stripe:
      secret: \${STRIPE_SECRET}
      webhook: \${STRIPE_WEBHOOK_SECRET}`,
    more: '[Each provider](../providers/README.md) has a page with the clicks in its dashboard.',
  },
  {
    name: 'members',
    title: 'Configuration: members, login, access',
    about: 'Accounts, logins, access after a failed payment, private files.',
    keys: ['members', 'login', 'account', 'gates', 'pass', 'files', 'feeds'],
    example: `membership:
  login:
    minutes: 20
    signup: true
  gates:
    past_due: 14 # days
  files:
    folder: private`,
    more: 'See [log in with a magic link](../login-by-mail.md), [failed payments](../failed-payments.md), [private files and feeds](../files-and-feeds.md) and [passes at the edge](../edge.md).',
  },
  {
    name: 'pages',
    title: 'Configuration: pages, brand, shop',
    about: 'Pages of your own, logo and colours, and what the law asks of a shop.',
    keys: ['pages', 'brand', 'shop'],
    example: `membership:
  pages:
    account: /me
  brand:
    logo: /logo.png
    colors: { accent: '#0a5c36' }
  shop:
    name: Gazette Ltd
    address: [1 High Street, Dublin]
    country: IE`,
    more: 'See [logo, colours and fonts](../brand.md), [your own pricing page](../pricing-page.md) and [shop law](../shop-law.md).',
  },
  {
    name: 'mails',
    title: 'Configuration: mails',
    about: 'The mails that leave, their language and their days.',
    keys: ['mails'],
    example: `membership:
  mails:
    kinds: [welcome, payment-failed, access-ending]
    trial_days: 3`,
    more: 'The transport is an option in code: [send mails](../mails.md).',
  },
  {
    name: 'operate',
    title: 'Configuration: office, alerts, webhooks, rate limit',
    about: 'Alerts, office, rate limit, webhooks in and out.',
    keys: ['operator', 'office', 'ratelimit', 'webhooks', 'compare', 'notify', 'migration'],
    example: `membership:
  operator:
    email: me@example.com
  office:
    enabled: true
  ratelimit:
    trust_proxy: 1`,
    more: 'See [monitor the site](../monitor.md), [the office](../office.md), [several machines](../several-machines.md) and [events for other systems](../events-out.md).',
  },
  {
    name: 'index',
    title: 'Configuration: website index',
    about: 'The index of websites that use a system, and its crawler.',
    keys: ['reports'],
    example: `membership:
  reports:
    system: kirby
    contact: partners@example.com`,
    more: 'See [the website index](../website-index.md).',
  },
]

export function fileOf({ name }: ConfigGroup): string {
  return `configuration-${name}.md`
}

/** The group of a key, such as `membership.ratelimit.limit`; undefined for a key without one. */
export function groupOf(key: string): ConfigGroup | undefined {
  return configGroups.find(({ keys }) => keys.includes(key.split('.')[1] ?? ''))
}

const ofPlan = 'membership.plans.{plan}.'
const ofOneProvider = 'membership.providers.{provider}.plans.{plan}.'

/** Every key that a page lists. A key of a provider's plan that equals the site's stands with that one. */
export function listedKeys(): ConfigKey[] {
  const keys = configKeys(definitions).filter(({ isSection }) => !isSection)
  const byKey = new Map(keys.map((item) => [item.key, item]))
  return keys.filter((item) => {
    if (!item.key.startsWith(ofOneProvider)) return true
    const twin = byKey.get(ofPlan + item.key.slice(ofOneProvider.length))
    return twin?.description !== item.description || !isDeepStrictEqual(twin.default, item.default)
  })
}

function cell(text: string) {
  return text.replaceAll('|', '\\|')
}

function isEmpty(value: unknown): boolean {
  return (
    value === undefined || value === null || (typeof value === 'object' && Object.keys(value).length === 0)
  )
}

function keyCell({ key, default: value }: ConfigKey): string {
  return isEmpty(value) ? `\`${key}\`` : `\`${key}\`<br>default: \`${cell(JSON.stringify(value))}\``
}

function tableOf(keys: readonly ConfigKey[]): string {
  return [
    '| Key | Meaning |',
    '|---|---|',
    ...keys.map((item) => `| ${keyCell(item)} | ${cell(item.description)} |`),
  ].join('\n')
}

/** Groups of keys whose name does not say what they are for. */
const titles: Readonly<Record<string, string>> = {
  account: 'Account page: an offer instead of a cancellation',
  brand: 'Brand: logo, colours, fonts',
  compare: 'Compare: ask the providers',
  database: 'Database',
  feeds: 'Feeds',
  files: 'Files',
  gates: 'Gates: after a failed payment',
  login: 'Login by mail',
  members: 'Members',
  migration: 'Migration from version 1',
  notify: 'Notify: events for other systems',
  office: 'Office',
  operator: 'Operator: alerts',
  pages: 'Pages of your own',
  pass: 'Passes at the edge',
  ratelimit: 'Rate limit',
  shop: 'Shop: the seller and the law',
  webhooks: 'Webhooks of providers',
}

/** The heading under which a key stands. */
function sectionOf(key: string): string {
  const [, top = '', second = '', third = '', fourth = ''] = key.split('.')
  if (top === 'plans') return partOfPlan(third)
  if (top === 'features') return 'Features'
  if (top === 'provider') return 'Who sells'
  if (top !== 'providers') return second === '' ? 'The site' : (titles[top] ?? top)
  if (second !== '{provider}') return titleOf(definitions.find((item) => item.key === second)!)
  return third === 'plans' && fourth !== '' ? 'Plans of one provider' : 'Every provider'
}

function partOfPlan(name: string): string {
  return name === 'prices'
    ? 'Prices of a plan'
    : ['limits', 'words'].includes(name)
      ? 'Limits and words of a plan'
      : 'A plan'
}

const intro: Readonly<Record<string, string>> = {
  'A plan': `The same keys work below \`${ofOneProvider.slice(0, -1)}\`, for a plan of one provider.`,
  'Plans of one provider': `Most keys are those of [plans](configuration-plans.md). These differ:`,
  'Every provider':
    'In code, `checkout` and `metadata` may be functions of `{ user, plan, price }`. They cannot replace the price, the return addresses or the id of the purchase.',
}

/** The page of a group. */
export function configurationPage(group: ConfigGroup): string {
  const place = ({ key }: ConfigKey) => group.keys.indexOf(key.split('.')[1] ?? '')
  const keys = listedKeys()
    .filter(({ key }) => groupOf(key) === group)
    .sort((a, b) => place(a) - place(b))
  const sections = new Map<string, ConfigKey[]>()
  for (const item of keys) {
    const name = sectionOf(item.key)
    sections.set(name, [...(sections.get(name) ?? []), item])
  }
  return `${[
    `# ${group.title}`,
    group.about,
    `\`\`\`yml\n# config/membership.yml\n${group.example}\n\`\`\``,
    `In code, the same keys have dots or groups: [where keys stand](../configuration.md). ${group.more}`,
    ...[...sections].flatMap(([name, listed]) => [
      ...(sections.size > 1 ? [`## ${name}`] : []),
      ...(intro[name] === undefined ? [] : [intro[name]]),
      tableOf(listed),
    ]),
  ].join('\n\n')}\n`
}

/** The list of groups that docs/configuration.md holds. */
export function withConfigurationGroups(page: string): string {
  return page.replace(
    /(<!-- groups -->\n)[\s\S]*?(<!-- \/groups -->)/,
    (_, open: string, close: string) =>
      `${open}${configGroups.map((group) => `- [${group.title.replace('Configuration: ', '')}](reference/${fileOf(group)}): ${group.about}`).join('\n')}\n${close}`,
  )
}
