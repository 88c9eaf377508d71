/** The lists of docs/members.md: what each kind of session may do, made from the routes of an instance. */
import type { Route } from '../src/core/http/route-access.ts'
import { createMembership } from '../src/index.ts'

function cell(text: string) {
  return text.replaceAll('|', '\\|')
}
function shown(path: string) {
  return path.replaceAll(/:(\w+)/g, '{$1}')
}

async function routesOf(): Promise<readonly Route[]> {
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

interface Rights {
  readonly paths: Map<string, string[]>
  readonly cells: readonly [none: string, unverified: string, verified: string]
}

/** Rights that many routes have, by their three cells. */
const titles: Readonly<Record<string, string>> = {
  'yes|yes|yes': 'Everybody',
  'anybody with the link|anybody with the link|anybody with the link': 'Anybody with the link',
  'asked to log in|asked to log in with a link|yes':
    'A verified session (a visitor is asked to log in, an unverified session to log in with a link)',
}

/** The routes by their rights; `GET` and `POST` of one path stand together. */
function rightsOf(routes: readonly Route[]): Map<string, Rights> {
  const found = new Map<string, Rights>()
  for (const { method, path, access } of routes) {
    const cells = [access.none, access.unverified, access.verified] as const
    const rights = found.get(cells.join('|')) ?? { paths: new Map<string, string[]>(), cells }
    rights.paths.set(shown(path), [...(rights.paths.get(shown(path)) ?? []), method])
    found.set(cells.join('|'), rights)
  }
  return found
}

function routesIn({ paths }: Rights): string[] {
  return [...paths].map(([path, methods]) => `\`${methods.join(', ')} ${path}\``)
}

/** A list for each kind of rights that many routes have, and a table of the others. */
function listed(routes: readonly Route[]): string {
  const rights = [...rightsOf(routes)]
  const others = rights.filter(([key]) => titles[key] === undefined)
  return [
    ...Object.entries(titles).flatMap(([key, title]) => {
      const found = rights.find(([name]) => name === key)?.[1]
      if (found === undefined) throw new Error(`no route has the rights ${key}`)
      return [
        `**${title}:**`,
        routesIn(found)
          .map((route) => `- ${route}`)
          .join('\n'),
      ]
    }),
    '**The other routes:**',
    [
      '| Route | nobody | unverified | verified |',
      '|---|---|---|---|',
      ...others.flatMap(([, item]) =>
        routesIn(item).map((route) => `| ${[route, ...item.cells].map(cell).join(' | ')} |`),
      ),
    ].join('\n'),
  ].join('\n\n')
}

function withTable(page: string, table: string): string {
  return page.replace(
    /(<!-- access -->\n+)[\s\S]*?(\n+<!-- \/access -->)/,
    (_, open: string, close: string) => `${open}${table}${close}`,
  )
}

/** docs/members.md with the lists of today's routes. */
export async function withAccessTable(page: string): Promise<string> {
  return withTable(page, listed(await routesOf()))
}
