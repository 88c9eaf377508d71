/** The table of docs/members.md: what each kind of session may do, made from the routes of an instance. */
import type { Route } from '../src/core/http/route-access.ts'
import { createMembership } from '../src/index.ts'

const cell = (text: string) => text.replaceAll('|', '\\|')
const shown = (path: string) => path.replaceAll(/:(\w+)/g, '{$1}')

const routesOf = async (): Promise<readonly Route[]> => {
  const m = await createMembership({
    'membership.database.url': 'sqlite::memory:',
    'membership.provider.handler': 'sandbox',
    'membership.providers.sandbox.livemode': false,
    install: false,
    root: false,
    log: () => {},
  })
  await m.close()
  return m.listRoutes()
}

/** Each route with a line of its own. */
const fullTable = (routes: readonly Route[]): string =>
  [
    '| Route | nobody | unverified | verified |',
    '|---|---|---|---|',
    ...routes.map(({ method, path, access: { none, unverified, verified } }) => {
      const cells = [`\`${method} ${shown(path)}\``, none, unverified, verified].map(cell)
      return `| ${cells.join(' | ')} |`
    }),
  ].join('\n')

const withTable = (page: string, table: string): string =>
  page.replace(
    /(<!-- access -->\n+)[\s\S]*?(\n+<!-- \/access -->)/,
    (_, open: string, close: string) => `${open}${table}${close}`,
  )

/** docs/members.md with the table of today's routes. */
export const withAccessTable = async (page: string): Promise<string> =>
  withTable(page, fullTable(await routesOf()))
