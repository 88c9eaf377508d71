import { z } from 'zod'
import { optionalMails } from '../../generated/mail-kinds.ts'
import { siteIdLength } from '../access/index.ts'
import { defaultPastDueDays, durationPattern, durationSeconds } from '../duration.ts'
import { isUrl } from '../url.ts'
import { flag, groupWords, path, section, text, time, wholeNumber } from './schema-parts.ts'
import { reportsSection } from './schema-reports.ts'
import { sellingSections } from './schema-selling.ts'

const secretWords = 'must be text of at least 32 characters, or a list of such texts'
function secretText() {
  return z.string({ error: secretWords }).min(32, secretWords)
}

const durationWords = 'must be a number of days such as 7, or a time such as "12h" (units s, m, h, d, w)'

/** Days as a whole number, or a text such as `12h`. Returns seconds. */
const duration = z
  .union([z.int().nonnegative(), z.string().regex(durationPattern, durationWords)], { error: durationWords })
  .transform((value) => durationSeconds(value) ?? 0)

const urlWords = 'must be the full address of the site, such as https://example.com'

/** An http(s) address without query, fragment or credentials. The result has no trailing slash. */
const siteUrl = z
  .string({ error: urlWords })
  .refine(isSiteUrl, urlWords)
  .transform((value) => value.replace(/\/+$/, ''))

const basePathWords = 'must be a path such as /app, or / for a site at the root of its host'
/** The path below which the site stands, without a slash at its end; empty for `/`. */
const basePath = z
  .string({ error: basePathWords })
  .regex(/^\/(?:(?!\.{1,2}(?:\/|$))[\w.~-]+(?:\/(?!$)|\/?$))*$/, basePathWords)
  .refine(
    (value) => !/^\/(?:membership|reports|partner)(?:\/|$)/i.test(value),
    'must not begin with /membership, /reports or /partner, the addresses of the package',
  )
  .transform((value) => value.replace(/\/+$/, ''))

function isSiteUrl(value: string): boolean {
  if (!isUrl(value)) return false
  const url = new URL(value)
  const isWeb = url.protocol === 'https:' || url.protocol === 'http:'
  return isWeb && !url.search && !url.hash && !url.username && !url.password
}

// Parts of an address that the driver reads: https://node-postgres.com/features/connecting#connection-uri
const databaseParts = [
  'sslmode',
  'sslcert',
  'sslkey',
  'sslrootcert',
  'ssl',
  'sslnegotiation',
  'uselibpqcompat',
  'user',
  'password',
  'host',
  'port',
  'options',
  'application_name',
  'fallback_application_name',
  'statement_timeout',
  'lock_timeout',
  'idle_in_transaction_session_timeout',
  'client_encoding',
]

/** Parts behind the name of a PostgreSQL database that change nothing. */
function lostParts(address: string): string[] {
  if (!/^postgres(?:ql)?:/.test(address) || !isUrl(address)) return []
  const { searchParams, hash } = new URL(address)
  const unknown = [...new Set(searchParams.keys())].filter((name) => !databaseParts.includes(name))
  return [...unknown, ...(hash === '' ? [] : ['#'])]
}

const colorWords = 'must be a colour such as "#a11460"'
/** A colour as `#rrggbb`. `#rgb` is written out. */
function color(description: string) {
  return z
    .string({ error: colorWords })
    .regex(/^#([\da-f]{3}|[\da-f]{6})$/i, colorWords)
    .transform((value) => {
      const [, red, green, blue] = /^#(.)(.)(.)$/.exec(value) ?? []
      return (red === undefined ? value : `#${red}${red}${green}${green}${blue}${blue}`).toLowerCase()
    })
    .nullable()
    .default(null)
    .describe(description)
}

const fontWords = 'must be a list of fonts as in CSS, such as "Inter, Arial, sans-serif"'
/** A list of fonts as in CSS. Other signs could end the rule that it stands in. */
function fonts(description: string) {
  return text(fontWords)
    .regex(/^[\p{L}\p{N} ,'_-]+$/u, `${fontWords}; with ' around names`)
    .nullable()
    .default(null)
    .describe(description)
}

const accelWords = 'must be a path such as /protected/'

const receiverWords = 'must be an address such as https://crm.example.com/hooks'

function isReceiverUrl(value: string): boolean {
  if (!isUrl(value)) return false
  const url = new URL(value)
  return ['https:', 'http:'].includes(url.protocol) && !url.hash && !url.username && !url.password
}

const receiverSecretWords =
  'must be a secret such as `membership notify secret` prints: whsec_ and 32 to 88 characters of base64'
function receiverSecret() {
  return z
    .string({ error: receiverSecretWords })
    .regex(/^whsec_[A-Za-z0-9+/]{32,86}={0,2}$/, receiverSecretWords)
}

const siteWords = `must be ${siteIdLength} lower-case letters or digits such as "stage1", or a list of such texts`
function siteId() {
  return z.string({ error: siteWords }).regex(/^[a-z0-9]{6}$/, siteWords)
}

/** Every key of the core outside `membership.providers`, with its default and its description for the reference. */
export const coreSchema = z.strictObject({
  url: siteUrl
    .nullable()
    .default(null)
    .describe('Public address of the site, such as https://example.com; buyers return to it after paying.'),
  base_path: basePath
    .nullable()
    .default(null)
    .describe(
      'Path below which the site stands, such as /app: pages, forms, assets, cookies, links in mails and webhooks of the package have it in front. It has to be given where membership.url has a path; / keeps the addresses as they were before this key.',
    ),
  site: z
    .union([siteId(), z.array(siteId()).min(1, siteWords)], { error: siteWords })
    .nullable()
    .default(null)
    .describe(
      'The id of the site among others of this package on one payment account. By default it follows from membership.url, else from membership.secret. A list names earlier ones, too: its first is written.',
    ),
  name: text()
    .nullable()
    .default(null)
    .describe('The name of the site on pages and in mails. Default: the host of membership.url.'),
  brand: section('Logo, colours and fonts of pages, mails and the office.', {
    logo: path()
      .nullable()
      .default(null)
      .describe(
        'Path of the logo on your site, such as /logo.png. It replaces the name in headers. Many mail programs show no SVG.',
      ),
    stylesheet: path()
      .nullable()
      .default(null)
      .describe('Path of a style sheet of your own, which pages load last: web fonts, for example.'),
    colors: section('Colours of light pages, and of mails.', {
      accent: color('Buttons, links and marks.'),
      background: color('Behind the page.'),
      surface: color('Cards, fields and the sheet of a mail.'),
      text: color('Text.'),
    }),
    dark: section('Colours for visitors with a dark screen.', {
      accent: color(
        'Buttons, links and marks. Default: the accent of light pages, lighter until it can be read.',
      ),
      background: color('Behind the page.'),
      surface: color('Cards, fields and the sheet of a mail.'),
      text: color('Text.'),
    }),
    fonts: section('Fonts, as in CSS.', {
      text: fonts('Text of pages and mails.'),
      headings: fonts('Headings.'),
      interface: fonts('Buttons, labels, menus and the office. Default: the font of the text.'),
    }),
  }),
  secret: z
    .union([secretText().transform((item) => [item]), z.array(secretText()).min(1, secretWords)], {
      error: secretWords,
    })
    .nullable()
    .default(null)
    .describe(
      'Signs cookies, forms and links; at least 32 random characters. A list, newest first, while it is replaced.',
    ),
  database: section('Where memberships are stored.', {
    url: z
      .string({ error: 'must be text' })
      .regex(
        /^(sqlite:|postgres:\/\/|postgresql:\/\/)./,
        'must begin with sqlite:, postgres:// or postgresql://',
      )
      .refine(
        (url) => !url.startsWith('sqlite:') || !/[?#]/.test(url),
        'must be sqlite: and a file: "?" and "#" have no effect there. If the name of the file contains one, rename the file',
      )
      .superRefine((url, found) => {
        const lost = lostParts(url)
        if (lost.length > 0)
          found.addIssue({
            code: 'custom',
            message: `has parts without effect: ${lost.join(', ')}. Remove them; with PostgreSQL these have one: ${databaseParts.join(', ')}`,
          })
      })
      .default('sqlite:data/membership.db')
      .describe('The database: sqlite:{file} or postgres://{user}:{password}@{host}/{name}.'),
    synchronous: z
      .enum(['full', 'normal'], { error: 'must be "full" or "normal"' })
      .default('full')
      .describe('SQLite only: full survives a power cut, normal is faster and may lose the last seconds.'),
    pool: wholeNumber(1, 'must be a whole number above 0')
      .default(10)
      .describe('PostgreSQL only: connections held open at most.'),
  }),
  provider: section('Which provider sells.', {
    handler: text('must be a provider’s key or what defineProvider() returned')
      .nullable()
      .default(null)
      .describe('Provider for new checkouts: its key, or a provider of your own made with defineProvider().'),
    choices: z
      .array(text('must be a provider’s key'), { error: 'must be a list of providers’ keys' })
      .default([])
      .describe(
        'Providers that a checkout’s form may name instead, in its field provider: a list of keys; unless given, none.',
      ),
  }),
  members: section('How buyers become members.', {
    roles: z
      .union(
        [text().transform((role) => [role]), z.array(text()).min(1, 'must be a list of at least one role')],
        {
          error: 'must be a list of at least one role',
        },
      )
      .default(['member'])
      .describe('Roles of members; the first is given to new ones.'),
    create: flag()
      .default(true)
      .describe('Creates an account for a purchase without one. `false` asks for a login before checkout.'),
  }),
  operator: section('The operator of the site.', {
    email: z
      .email('must be an address such as ops@example.com')
      .nullable()
      .default(null)
      .describe(
        'The address for alerts about problems between the site and a provider, and for their end. By default no alerts are sent.',
      ),
  }),
  office: section('The operator’s office, /membership/office.', {
    enabled: flag()
      .default(false)
      .describe('Turns on the office, the pages for operators. Without it their addresses answer 404.'),
  }),
  login: section('Logging in by a link in a mail.', {
    minutes: time('minutes', { min: 1 }).default(20).describe('The lifetime of a login link, in minutes.'),
    signup: flag()
      .default(false)
      .describe('Lets a link create an account for an address that bought nothing.'),
  }),
  pass: section('Passes for workers and other runtimes in front of the site.', {
    seconds: time('seconds', {
      min: 1,
      max: 300,
      why: ' because a refund or a logout counts when the pass ends',
    })
      .default(300)
      .describe('The longest lifetime of a pass, in seconds.'),
    audience: text('must be a name or an address')
      .nullable()
      .default(null)
      .describe('The audience of passes. By default it is the address of the site.'),
  }),
  files: section('Private files.', {
    folder: text('must be a folder such as ./private')
      .nullable()
      .default(null)
      .describe('The folder of private files. Never a folder that a web server shows.'),
    accel: text(accelWords)
      .regex(/^\/([\w.-]+\/)+$/, accelWords)
      .nullable()
      .default(null)
      .describe(
        'The internal location at which nginx has the folder: files are handed over by X-Accel-Redirect.',
      ),
  }),
  feeds: section('Private addresses of feeds and files.', {
    clients: wholeNumber(1, 'must be a whole number above 0')
      .default(20)
      .describe('The clients of one address in a day. More of them alert the operator.'),
    end_at_logout: flag()
      .default(false)
      .describe('Ends a member’s addresses of feeds and files at “log out everywhere”.'),
  }),
  language: text('must be a language such as en')
    .default('en')
    .describe('The language of pages and mails for people whose own language is unknown or has no texts.'),
  ...sellingSections,
  mails: section('Mails to members.', {
    language: text('must be a language such as en')
      .nullable()
      .default(null)
      .describe('The same for mails alone; unless given, as membership.language.'),
    kinds: z
      .array(z.enum(optionalMails), { error: `must be a list of ${optionalMails.join(', ')}` })
      .default([...optionalMails])
      .describe('The mails to send beside login links. Leave out those that the provider sends itself.'),
    trial_days: time('days', { min: 0 })
      .default(7)
      .describe('Days before the end of a trial when its member gets a mail. 0 sends none.'),
    renewal_days: time('days', { min: 0 })
      .default(30)
      .describe('Days before a renewal of a year or more when its member gets a mail. 0 sends none.'),
  }),
  ratelimit: section('The number of requests that one visitor may send.', {
    limit: wholeNumber(1, 'must be a whole number above 0')
      .default(30)
      .describe('Requests per minute per IP.'),
    trust_proxy: wholeNumber(0, 'must be a whole number, 0 or more')
      .default(0)
      .describe(
        'The number of proxies in front of the site that are trusted for the visitor’s IP. 0 uses the connection’s address.',
      ),
    store: z
      .string()
      .regex(/^(memory|database|rediss?:\/\/.+)$/, {
        error: 'must be memory, database, or the address of a Redis such as redis://localhost:6379',
      })
      .nullable()
      .default(null)
      .describe(
        'The store that counts requests: `memory` for each process, `database` (PostgreSQL) or `redis://…` for all processes. Default: the database if it is PostgreSQL. While the store is down, each process counts alone.',
      ),
    webhooks: flag()
      .default(false)
      .describe('Also counts correctly signed webhooks. A burst from a provider would then be rejected.'),
  }),
  gates: section('When access is open.', {
    past_due: duration
      .prefault(defaultPastDueDays)
      .describe(
        'The time that access stays open after a failed renewal, while the provider retries: days, or a time such as 12h. 0 closes at once.',
      ),
  }),
  webhooks: section('Received events.', {
    retries: wholeNumber(0, 'must be a whole number, 0 or more')
      .default(10)
      .describe('The number of retries before a failed event is given up.'),
    keep_bodies_days: time('days', { min: 1 })
      .default(90)
      .describe('Days after which the text of a received event is deleted; its id stays.'),
  }),
  migration: section('Moving from version 1.', {
    watch: flag()
      .default(false)
      .describe(
        'Logs each place that asks a subscription for a field of version 1, in production, too. Elsewhere it is always on.',
      ),
  }),
  compare: section('Asking the providers for what no message told.', {
    automatic: flag()
      .default(true)
      .describe(
        'Asks the providers automatically, within a tenth of their rate limits: for news every two minutes, every started checkout, and everything once a day. A subscription whose period is over is asked for in any case.',
      ),
  }),
  notify: z
    .array(
      z
        .strictObject(
          {
            url: z
              .string({ error: receiverWords })
              .refine(isReceiverUrl, receiverWords)
              .describe('The receiver’s address: https, unless it is private.'),
            secret: z
              .union(
                [receiverSecret().transform((item) => [item]), z.array(receiverSecret()).min(1).max(2)],
                { error: receiverSecretWords },
              )
              .describe('A secret of Standard Webhooks, or two, newest first, while it is replaced.'),
            events: z
              .array(text('must be the name of an event'))
              .min(1)
              .nullable()
              .default(null)
              .describe('Names of events. Default: all of them.'),
            allow_private: flag().default(false).describe('Allows an address in your own network.'),
          },
          { error: groupWords },
        )
        .refine(({ url, allow_private }) => allow_private || url.startsWith('https:'), {
          error: 'must be https, unless allow_private is true',
          path: ['url'],
        }),
      { error: 'must be a list of receivers' },
    )
    .default([])
    .describe('Addresses that receive events as signed messages of Standard Webhooks.'),
  reports: reportsSection,
})
/** The parsed configuration with every default, without the providers' own keys. */
export type CoreConfig = z.output<typeof coreSchema>

export { flag, groupWords, text, time, wholeNumber }
