import type { Offer } from './server-file.ts'

/**
 * Files of a Next site with the app router, by path below the folder that holds `app/`. `config` is the path
 * of its options, seen from `lib/`.
 */
export function nextFiles({ gate, price }: Offer, config: string): Record<string, string> {
  return {
    'lib/membership.ts': lines(
      "import { createMembership } from 'membership'",
      "import { nextHost } from 'membership/next'",
      `import options from '${config}'`,
      '',
      'export const host = nextHost(() => createMembership(options))',
    ),
    'app/membership/[...path]/route.ts': lines(
      "import { host } from '../../../lib/membership'",
      '',
      'export const { GET, POST } = host.handlers',
    ),
    'app/join/actions.ts': lines(
      "'use server'",
      '',
      "import { host } from '../../lib/membership'",
      '',
      'export async function subscribe(form: FormData) {',
      '  await host.subscribe(form)',
      '}',
    ),
    'app/join/page.tsx': lines(
      "import { host } from '../../lib/membership'",
      "import { subscribe } from './actions'",
      '',
      'export default async function Join() {',
      `  if ((await host.view()).allows('${gate}')) return <a href="/archive">The archive</a>`,
      '  return (',
      '    <form action={subscribe}>',
      '      <input type="hidden" name="redirect" value="/archive" />',
      `      <button type="submit" name="price" value="${price}">`,
      '        Join',
      '      </button>',
      '    </form>',
      '  )',
      '}',
    ),
    'app/archive/page.tsx': lines(
      "import { host } from '../../lib/membership'",
      '',
      'export default async function Archive() {',
      `  await host.gate('${gate}', '/join')`,
      '  return <p>The archive.</p>',
      '}',
    ),
  }
}

/** Layout of every page, for a Next site that has none yet. */
export const nextLayout = `export default function Layout({ children }: { children: React.ReactNode }) {
  return (
    <html lang="en">
      <body>{children}</body>
    </html>
  )
}
`

function lines(...all: readonly string[]): string {
  return `${all.join('\n')}\n`
}
