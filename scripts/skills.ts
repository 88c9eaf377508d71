/**
 * Skills for coding agents, made from the guides: `npm run docs` writes `skills/{name}/SKILL.md`, and a test
 * fails when a guide changed and its skill did not.
 */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

const root = join(import.meta.dirname, '..')

interface Skill {
  readonly name: string
  /** When an agent takes it. */
  readonly description: string
  /** Guides below docs/, in the order of the steps. */
  readonly pages: readonly string[]
  /** Commands and answers that show the result. */
  readonly checks: readonly string[]
  /** Steps that a person does, because the package cannot. */
  readonly byHand: readonly string[]
}

const movedChecks = [
  '`npx membership import --provider stripe` names nobody who would still get an account.',
  '`npx membership compare --provider stripe` exits with 0.',
]

export const skills: readonly Skill[] = [
  {
    name: 'membership-install',
    description: 'Install the npm package membership and start a site that sells in the sandbox.',
    pages: ['start', 'install'],
    checks: [
      '`npm start` prints an address, and `curl -i http://localhost:3000/membership/health` answers 200.',
      '`npx membership doctor` exits with 0 or 2, and each finding has an action.',
    ],
    byHand: [
      '`init` writes into a folder without a site. In an existing site, `npx membership add` shows what it would change, and prints what is left to write.',
    ],
  },
  {
    name: 'membership-sell-a-subscription',
    description:
      'Sell a subscription or a one-time product with the npm package membership, by a button or from code.',
    pages: ['sell-a-subscription', 'sell-a-one-time-product', 'free-trials'],
    checks: [
      'In the sandbox, the card 4242 4242 4242 4242 pays, and `npx membership members list` names the buyer.',
      '`npx membership members show ADDRESS` says which plan is open, and why.',
    ],
    byHand: ['Products and prices are made in the provider’s dashboard. Mollie and the sandbox need none.'],
  },
  {
    name: 'membership-gate-a-page',
    description:
      'Lock a page, an API route or a part of a template to members with the npm package membership.',
    pages: ['protect-a-page', 'protect-an-api', 'in-templates'],
    checks: [
      'Without a session, the route answers 403 with `Cache-Control: private, no-store`.',
      '`npx membership doctor --leaks ADDRESS` finds no closed text that a stranger reads.',
    ],
    byHand: ['Feeds, sitemaps and files that other software serves need a gate of their own.'],
  },
  {
    name: 'membership-connect-a-provider',
    description:
      'Connect Stripe, Paddle, Mollie, PayPal or another payment provider to the npm package membership.',
    pages: ['connect-stripe', 'providers/README', 'webhooks-do-not-arrive'],
    checks: [
      '`npx membership doctor` names no missing key and no missing price.',
      '`npx membership doctor --url ADDRESS` says that the webhook address accepts a signed body.',
    ],
    byHand: [
      'Accounts, keys and prices are made in the provider’s dashboard. `docs/providers/` has the clicks, and says where a command registers the webhook address.',
    ],
  },
  {
    name: 'membership-test',
    description: 'Write tests for a site with the npm package membership, against fake payment providers.',
    pages: ['test-your-site'],
    checks: ['The test ends with exit code 0, without a network.'],
    byHand: ['A run in the provider’s own test mode needs test keys.'],
  },
  {
    name: 'membership-go-live',
    description: 'Deploy a site with the npm package membership to a server, and take real money.',
    pages: ['go-live', 'monitor', 'backups'],
    checks: [
      '`curl -i https://YOUR-SITE/membership/health` answers 200.',
      '`npx membership doctor --url https://YOUR-SITE` exits with 0.',
    ],
    byHand: [
      'A server, a domain and the live keys come from a person.',
      'Buy once with a real card, and refund it.',
    ],
  },
  {
    name: 'membership-migrate-from-version-1',
    description: 'Migrate a site from version 1 of the npm package membership to version 2.',
    pages: ['migration'],
    checks: [
      '`npx membership migrate FOLDER --check` exits with 0.',
      '`npx membership migrate FOLDER --prove` finds no account whose access changes.',
    ],
    byHand: [
      'Places that the plan lists as undecided need a person. The order for a live site stands in `MIGRATION.md`.',
    ],
  },
  {
    name: 'membership-move-from-better-auth-stripe',
    description: 'Move a site from better-auth’s Stripe plugin to the npm package membership.',
    pages: ['from-better-auth-stripe', 'better-auth'],
    checks: movedChecks,
    byHand: [
      'The second webhook endpoint is made, and the first one deleted, in Stripe’s dashboard.',
      'Seats of an organisation are invited anew.',
    ],
  },
  {
    name: 'membership-move-from-laravel-cashier',
    description: 'Move a site from Laravel Cashier to the npm package membership.',
    pages: ['from-laravel-cashier'],
    checks: movedChecks,
    byHand: [
      'The second webhook endpoint is made in the dashboard of Stripe or Paddle.',
      'Passwords stay in the login of the site. Cashier for Mollie’s subscriptions are bought once more.',
    ],
  },
  {
    name: 'membership-move-from-ghost',
    description: 'Move the members of a Ghost site to the npm package membership.',
    pages: ['from-ghost'],
    checks: movedChecks,
    byHand: [
      'Members are exported in Ghost, and the webhook endpoint is made in Stripe’s dashboard.',
      'Posts and newsletters do not move: the package has no editor.',
    ],
  },
]

/** A guide as a part of a skill: one level lower, with links into the package's docs, and without what is for the site. */
function partOf(page: string): string {
  const text = readFileSync(join(root, 'docs', `${page}.md`), 'utf8')
  let isCode = false
  const lines = text.split('\n').flatMap((line) => {
    if (/^ *```/.test(line)) isCode = !isCode
    if (isCode || /^ *```/.test(line)) return [line]
    if (/^<!--.*-->$|^\*\*Next:\*\*|^!\[/.test(line)) return []
    return [
      line
        .replace(/^#/, '##')
        .replaceAll(/\]\((?!https?:|#)([^)]+)\)/g, (_, to: string) => `](${intoDocs(page, to)})`),
    ]
  })
  return lines
    .join('\n')
    .replaceAll(/\n{3,}/g, '\n\n')
    .trim()
}

/** From a folder of `skills/`, `docs` is two folders up. */
function intoDocs(page: string, to: string): string {
  return join('../../docs', dirname(page), to)
}

/** The text of `skills/{name}/SKILL.md`. */
export function skillText({ name, description, pages, checks, byHand }: Skill): string {
  return [
    `---\nname: ${name}\ndescription: ${description}\n---`,
    `# ${description.replace(/\.$/, '')}`,
    `Made from ${pages.map((page) => `\`docs/${page}.md\``).join(', ')} of the package. Do the steps in order, and run each check.`,
    ...pages.map(partOf),
    `## Check\n\n${checks.map((check) => `- ${check}`).join('\n')}`,
    `## By hand\n\n${byHand.map((step) => `- ${step}`).join('\n')}`,
  ]
    .join('\n\n')
    .concat('\n')
}

export function skillFile({ name }: Skill): string {
  return `skills/${name}/SKILL.md`
}

/** Writes every skill. */
export function writeSkills(): void {
  for (const skill of skills) {
    const file = join(root, skillFile(skill))
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, skillText(skill))
  }
}
