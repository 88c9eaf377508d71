/** The walks. The pages hold what is done (`blocks.ts`); here stand who visits the site then, and what the reader has. */
import { postgresDatabases } from '../../test/support/databases.ts'
import { visitOwnLogin } from './own-login.ts'
import type { RunningSite } from './running-site.ts'
import { visitDemo, visitInit, visitNext, visitPaddle, visitPrices } from './visits.ts'

/** The names that a reader brings along. Each stands on the page. */
export interface Account {
  readonly variables: Readonly<Record<string, string>>
  close(): Promise<void>
}

export interface Walk {
  readonly title: string
  /** Runs in CI; the others with `--all`. */
  readonly isQuick?: true
  /** The address that the page says to open. */
  readonly opens: string
  readonly account?: () => Promise<Account>
  readonly visit: (site: RunningSite, folder: string) => Promise<void>
  /** The output of each command, by the order of its step. */
  readonly prints?: Readonly<Record<number, RegExp>>
}

const local = 'http://localhost:3000'
function ownLogin(title: string, name: string): Walk {
  return {
    title,
    opens: local,
    visit: (site, folder) => visitOwnLogin(site, name, folder),
  }
}

function belowPath(title: string): Walk {
  return {
    title,
    opens: `${local}/app/membership/prices`,
    visit: (site) => visitPrices(site, '/app/archive', '/app'),
  }
}

export const walks: Readonly<Record<string, Walk>> = {
  demo: {
    title: 'The demo, in a fresh clone',
    isQuick: true,
    opens: 'http://127.0.0.1:3000',
    visit: visitDemo,
  },
  site: {
    title: 'A whole site for Koa, by hand',
    isQuick: true,
    opens: local,
    visit: (site) => visitPrices(site, '/'),
    prints: { 5: /ada@example\.com/ },
  },
  init: {
    title: '`membership init`, from a fresh clone',
    opens: local,
    visit: visitInit,
    prints: { 2: /ada@example\.com/ },
  },
  'below-koa': belowPath('Koa, below a path'),
  'below-express': belowPath('Express, below a path'),
  express: ownLogin('Express with its own users', 'express'),
  hono: {
    title: 'Hono with PostgreSQL and Paddle',
    opens: local,
    account: async () => {
      const databases = await postgresDatabases()
      return {
        variables: { DATABASE_URL: await databases.emptyUrl() },
        close: () => databases.close(),
      }
    },
    visit: (site) => visitPaddle(site, 'http://localhost:4000'),
  },
  next: { title: 'Next', opens: local, visit: visitNext },
  passport: ownLogin('Express with Passport', 'passport'),
  authjs: ownLogin('Express with Auth.js', 'authjs'),
  'better-auth': ownLogin('Express with better-auth', 'better-auth'),
}
