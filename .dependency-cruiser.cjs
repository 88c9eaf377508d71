// The house: floors from the ground, through all wings. A room imports from floors below it, never from its own floor or
// above; the wings then stand on each other the same way: core, fakes/engine, providers, memberships, reports, office, migrate, site.
const floors = [
  ['core/limit.ts'],
  ['core/errors.ts', 'core/log.ts', 'core/register.ts', 'core/awaitable.ts', 'core/lazy.ts', 'core/listing.ts', 'core/recent.ts', 'core/url.ts', 'core/node-version.ts'],
  ['core/package-folder.ts'],
  ['core/yaml.ts', 'core/email.ts', 'core/duration.ts', 'core/moment.ts', 'core/brand.ts'],
  ['generated/words.ts', 'generated/mail-kinds.ts', 'generated/client-paths.ts'],
  ['core/dto'],
  ['core/access', 'core/read-csv.ts'],
  ['core/config'],
  ['core/storage'],
  ['core/words'],
  ['core/http', 'core/pages', 'core/jobs'],
  ['fakes/engine'],
  ['providers'],
  ['memberships/life.ts'],
  ['memberships/verification'],
  ['memberships/ledger', 'memberships/catalogue', 'memberships/audit-log'],
  ['memberships/members', 'memberships/subscriptions'],
  ['memberships/hooks', 'memberships/limits', 'memberships/trials', 'memberships/upgrade'],
  ['memberships/merging'],
  ['memberships/checkout', 'memberships/account', 'memberships/mails'],
  ['memberships/gifts', 'memberships/groups', 'memberships/downloads', 'memberships/raises'],
  ['memberships/webhooks', 'memberships/sync', 'memberships/monitoring', 'memberships/shop', 'reports'],
  ['memberships/import', 'memberships/after-restore', 'memberships/switching'],
  ['memberships/domain-events.ts'],
  ['memberships/reactions.ts'],
  ['office'],
  ['migrate'],
  ['site/init'],
  ['site/add'],
  ['generated/configuration-keys.ts'],
  ['site/identify-input.ts'],
  ['site/current.ts', 'site/options.ts', 'site/hosts', 'site/pages'],
  ['site/config-in-code.ts'],
  ['site/doctor'],
  ['site/membership-api.ts'],
  ['site/assembly', 'site/api'],
  ['site/awaited.ts', 'site/option-mistakes.ts'],
  ['site/request-chain.ts'],
  ['site/membership.ts'],
  ['site/runtime', 'testkit'],
  ['public-types.ts'],
  ['cli', 'entries', 'index.ts', 'schemas.ts', 'client'],
]

const room = (name) => (name.endsWith('.ts') ? `^src/${name.replace('.', '\\.')}$` : `^src/${name}/`)

const downwards = floors.flatMap((floor, height) =>
  floor.map((name) => ({
    name: `floor-of-${name.split('/').at(-1)}`,
    comment: `${name} imports only from the floors below it.`,
    severity: 'error',
    from: { path: room(name) },
    to: {
      path: floors
        .slice(height)
        .flat()
        .filter((other) => other !== name)
        .map(room),
    },
  })),
)

// The floors of the largest room.
const reportFloors = [
  ['hours.ts', 'statements', 'visit', 'detection', 'preview'],
  ['schemas.ts', 'audit.ts', 'options.ts'],
  ['keys'],
  ['entries'],
  ['answers'],
  ['crawl', 'operator'],
  ['imports.ts', 'idempotency.ts', 'relink-requests.ts', 'reports-api.ts'],
  ['exchange.ts', 'housekeeping.ts', 'partner'],
  ['router.ts', 'partner-pages.ts'],
  ['partner-side.ts'],
  ['reports.ts'],
  ['mount.ts'],
]
const reportRoom = (name) => room(`reports/${name}`)
// index.ts stands above them all.
const reportsDownwards = reportFloors.flatMap((floor, height) =>
  floor.map((name) => ({
    name: `floor-of-reports-${name}`,
    comment: `Within reports, ${name} imports only from the floors below it.`,
    severity: 'error',
    from: { path: reportRoom(name) },
    to: {
      path: [...reportFloors.slice(height).flat().filter((other) => other !== name), 'index.ts'].map(reportRoom),
    },
  })),
)

// One home per library: where else it turns up, a boundary has been crossed. Types alone bind nothing.
const homes = {
  // A site's own database is opened where its rows are migrated; ours in storage only.
  'better-sqlite3': ['src/core/storage/sqlite(-driver)?\\.ts'],
  pg: ['src/core/storage/postgres-driver\\.ts'],
  kysely: ['src/core/storage/', 'statements\\.ts$', 'src/memberships/ledger/statements/', 'src/reports/statements/'],
  jose: ['src/core/http/(tokens|passes)\\.ts', 'src/entries/edge\\.ts', 'src/(providers|fakes)/(apple|google)/'],
  eta: ['src/core/pages/'],
  stripe: ['src/providers/stripe/'],
  yaml: ['src/core/yaml\\.ts', 'src/reports/detection/', 'src/site/runtime/', 'src/migrate/', 'src/site/init/'],
  nodemailer: ['src/memberships/mails/smtp\\.ts'],
  'php-parser': ['src/migrate/php\\.ts'],
  '@babel/parser': ['src/migrate/script\\.ts'],
  'jsonc-parser': ['src/migrate/'],
  diff: ['src/migrate/', 'src/site/init/'],
  'csv-parse': ['src/core/read-csv\\.ts'],
  'cli-progress': ['src/cli/'],
  commander: ['src/cli/'],
  '@clack/prompts': ['src/cli/init-questions\\.ts'],
  otpauth: ['src/office/second-factor\\.ts'],
  uqr: ['src/office/second-factor\\.ts'],
  undici: ['src/core/http/outgoing\\.ts', 'src/reports/visit/'],
  'ipaddr.js': ['src/core/http/outgoing\\.ts'],
  tldts: ['src/reports/visit/'],
  'robots-parser': ['src/reports/visit/'],
  'html-encoding-sniffer': ['src/reports/visit/'],
  htmlparser2: ['src/reports/detection/', 'src/site/doctor/leak-texts\\.ts'],
  entities: ['src/reports/detection/', 'src/site/doctor/leak-texts\\.ts'],
  re2js: ['src/reports/detection/'],
  '@fastify/busboy': ['src/reports/preview/'],
  sharp: ['src/reports/preview/'],
  'jpeg-js': ['src/reports/preview/'],
  'light-my-request': ['src/site/hosts/'],
  'on-headers': ['src/site/hosts/'],
  'lru-cache': ['src/core/recent\\.ts', 'src/providers/[^/]+/certificates\\.ts', 'src/reports/'],
  'rate-limiter-flexible': ['src/core/http/rate-limit\\.ts', 'src/core/http/(shared-)?counters\\.ts', 'src/core/http/rate-limiter-memory\\.d\\.ts'],
  ioredis: ['src/core/http/shared-counters\\.ts'],
  'openapi-fetch': ['src/client/'],
  send: ['src/memberships/downloads/files\\.ts'],
  koa: ['src/site/hosts/', 'src/site/runtime/'],
  '@koa/router': ['router\\.ts$', 'src/providers/[^/]+/pages\\.ts', 'src/site/runtime/'],
  'koa-body': ['src/core/http/form-body\\.ts'],
}

const oneHome = Object.entries(homes).map(([library, paths]) => ({
  name: `home-of-${library.replace('/', '-')}`,
  comment: `${library} is used in one place only: ${paths.join(', ')}.`,
  severity: 'error',
  from: { path: '^src/', pathNot: paths },
  to: { path: `node_modules/(@types/)?${library}/`, dependencyTypesNot: ['type-only'] },
}))

module.exports = {
  forbidden: [
    { name: 'no-circles', comment: 'No circles.', severity: 'error', from: {}, to: { circular: true } },
    {
      name: 'not-in-the-house',
      comment: 'Every file of src belongs to a floor; add new rooms to .dependency-cruiser.cjs.',
      severity: 'error',
      from: {},
      to: { path: '^src/', pathNot: [...floors.flat().map(room), '^src/fakes/'] },
    },
    {
      name: 'providers-apart',
      comment: 'One provider never imports another.',
      severity: 'error',
      from: { path: '^src/providers/([^/]+)/' },
      to: { path: '^src/providers/[^/]+/', pathNot: '^src/providers/$1/' },
    },
    {
      name: 'engine-on-demand',
      comment: 'A site without a sandbox never loads the engine of the fakes.',
      severity: 'error',
      from: { path: '^src/', pathNot: '^src/(fakes|testkit|providers/sandbox)/' },
      to: { path: '^src/fakes/engine/', dependencyTypesNot: ['type-only', 'dynamic-import'] },
    },
    {
      name: 'fakes-on-demand',
      comment: 'Tests load the fake server of a provider when they ask for it; a site never does.',
      severity: 'error',
      from: { path: '^src/', pathNot: '^src/(testkit|fakes/[^/]+)/' },
      to: {
        path: '^src/fakes/',
        pathNot: '^src/fakes/engine/',
        dependencyTypesNot: ['type-only', 'dynamic-import'],
      },
    },
    {
      name: 'fakes-apart',
      comment: 'A fake server knows the engine, its own provider, and what all providers share.',
      severity: 'error',
      from: { path: '^src/fakes/([^/]+)/', pathNot: '^src/fakes/engine/' },
      to: { path: '^src/', pathNot: ['^src/core/', '^src/fakes/(engine|$1)/', '^src/providers/($1/|[^/]+\\.ts$)'] },
    },
    {
      name: 'any-provider',
      comment: 'Memberships know what a provider is by its types alone: what runs comes as an argument.',
      severity: 'error',
      from: { path: '^src/(core|memberships|office)/' },
      to: { path: '^src/(fakes|providers)/', dependencyTypesNot: ['type-only'] },
    },
    {
      name: 'memberships-without-the-index',
      comment: 'Memberships know nothing of the website index; the office stands above both.',
      severity: 'error',
      from: { path: '^src/memberships/' },
      to: { path: '^src/(reports|office)/' },
    },
    {
      name: 'by-the-door',
      comment: 'Modules of memberships meet at their index.ts.',
      severity: 'error',
      from: { path: '^src/memberships/([^/]+)/' },
      to: { path: '^src/memberships/[^/]+/', pathNot: ['^src/memberships/$1/', '^src/memberships/[^/]+/index\\.ts$'] },
    },
    {
      name: 'by-the-door-from-above',
      comment: 'A module of memberships is entered by its index.ts. The list of public types names types in their files.',
      severity: 'error',
      from: { path: '^src/', pathNot: ['^src/memberships/[^/]+/', '^src/public-types\\.ts$'] },
      to: { path: '^src/memberships/[^/]+/', pathNot: '^src/memberships/[^/]+/index\\.ts$' },
    },
    {
      name: 'runs-on-dependencies',
      comment: 'What is published needs no devDependency. Sites install stripe, sharp and ioredis themselves.',
      severity: 'error',
      from: { path: '^src/' },
      to: {
        dependencyTypes: ['npm-dev', 'npm-no-pkg', 'npm-unknown', 'unknown', 'undetermined'],
        dependencyTypesNot: ['type-only'],
        // Hosts are there where their entry is used.
        pathNot: '(^next/|^nuxt/|^@nestjs/common$|^@auth/core$|^payload$|^react$|node_modules/(@types|stripe|sharp|ioredis|nodemailer)/)',
      },
    },
    ...downwards,
    ...reportsDownwards,
    ...oneHome,
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    enhancedResolveOptions: { exportsFields: ['exports'], conditionNames: ['import', 'require', 'node', 'default', 'types'] },
  },
}
