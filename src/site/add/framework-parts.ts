import { parseScript, type ScriptNode } from '../../migrate/script.ts'
import { placeOf } from '../../migrate/source.ts'
import { type ConfigFile, nextFiles, nextLayout } from '../init/index.ts'
import { entryEdit, exportedValue, propertyOf } from './objects.ts'
import { type EditedFile, type Example, type HostParts, type Left, lines } from './parts.ts'
import { importEdit, inStyle } from './places.ts'
import { type AddHost, type Project, rangeOf } from './project.ts'

/** Hosts with routes by files and a file of configuration. */
export type FrameworkHost = Exclude<AddHost, 'koa' | 'express' | 'fastify' | 'hono' | 'nest'>

interface Given {
  readonly project: Project
  readonly config: ConfigFile
  readonly example: Example
}

/** Plans the new files and the edits of a project whose framework finds its routes by files. */
export function frameworkParts(host: FrameworkHost, given: Given): HostParts {
  switch (host) {
    case 'next':
      return nextParts(given)
    case 'nuxt':
      return nuxtParts(given)
    case 'astro':
      return astroParts(given)
    case 'sveltekit':
      return svelteKitParts(given)
    case 'react-router':
      return reactRouterParts(given)
    case 'payload':
      return payloadParts(given)
    case 'strapi':
      return strapiParts(given)
    default:
      throw new TypeError(`unhandled ${host satisfies never}`)
  }
}

const none = { edited: [], left: [] }

function nextParts({ project, config, example }: Given): HostParts {
  const { read, isTypeScript, sources } = project
  const isIn = (folder: string) => sources.some((file) => file.startsWith(folder))
  const home = isIn('app/') || !(isIn('src/app/') || isIn('src/pages/')) ? '' : 'src/'
  const files = nextFiles(config, `${home === '' ? '' : '../'}../membership.config`)
  const isCached = /cacheComponents\s*:\s*true/.test(configText(project, 'next.config') ?? '')
  const page = isCached ? cachedPage(config.gate) : files['app/archive/page.tsx']!
  const wanted: Record<string, string> = {
    'lib/membership.ts': files['lib/membership.ts']!,
    'app/membership/[...path]/route.ts': files['app/membership/[...path]/route.ts']!,
    [`app${example.path}/page.tsx`]: page.replace("'/join'", "'/membership/prices'"),
  }
  const layouts = ['tsx', 'jsx', 'js'].map((ending) => `${home}app/layout.${ending}`)
  if (layouts.every((file) => read(file) === null)) wanted['app/layout.tsx'] = nextLayout
  const ending = (path: string) => (isTypeScript ? path : path.replace(/\.ts(x?)$/, '.js$1'))
  return {
    ...none,
    created: Object.fromEntries(
      Object.entries(wanted).map(([path, text]) => [
        `${home}${ending(path)}`,
        isTypeScript ? text : text.replace(/: \{ children: React\.ReactNode \}/, ''),
      ]),
    ),
  }
}

// What depends on the visitor stands below Suspense there: https://nextjs.org/docs/app/api-reference/config/next-config-js/cacheComponents
function cachedPage(gate: string): string {
  return lines(
    "import { Suspense } from 'react'",
    "import { host } from '../../lib/membership'",
    '',
    'async function Closed() {',
    `  await host.gate('${gate}', '/join')`,
    '  return <p>The archive.</p>',
    '}',
    '',
    'export default function Archive() {',
    '  return (',
    '    <Suspense>',
    '      <Closed />',
    '    </Suspense>',
    '  )',
    '}',
  )
}

function nuxtParts({ project, config: { gate }, example }: Given): HostParts {
  const module = "'membership/nuxt'"
  return {
    created: {
      [`server/routes${example.path}.get.${project.isTypeScript ? 'ts' : 'js'}`]: lines(
        "import { gated } from 'membership/nuxt/server'",
        '',
        `export default defineEventHandler(gated('${gate}', () => 'The archive.'))`,
      ),
    },
    ...configEdited(project, 'nuxt.config', { lists: [['modules', module]] }),
  }
}

function astroParts({ project, config: { gate }, example }: Given): HostParts {
  const file = configName(project, 'astro.config')
  const text = file === null ? '' : project.read(file)!
  const entry = `membership({ gates: { '${example.path}': '${gate}' } })`
  const imports = ["import membership from 'membership/astro'"]
  const hasAdapter = /\badapter\s*:/.test(text)
  const major = Number(/\d+/.exec(rangeOf(project, 'astro') ?? '')?.[0] ?? 0)
  const adapter = adapters[major]
  if (!hasAdapter) imports.unshift("import node from '@astrojs/node'")
  return {
    created: {
      [`src/pages${example.path}.astro`]: lines(
        '---',
        '// A prerendered page would be a file that everybody can open.',
        'export const prerender = false',
        '---',
        '<p>The archive.</p>',
      ),
    },
    ...configEdited(project, 'astro.config', {
      lists: [['integrations', entry]],
      imports,
      ...(hasAdapter ? {} : { also: "adapter: node({ mode: 'standalone' })" }),
    }),
    ...(hasAdapter ? {} : { packages: { '@astrojs/node': adapter ?? 'latest' } }),
  }
}

// Each major of Astro has a major of the adapter: https://www.npmjs.com/package/@astrojs/node
const adapters: Readonly<Record<number, string>> = { 5: '^9.0.0', 6: '^10.0.0', 7: '^11.0.0' }

function svelteKitParts({ project, config: { gate }, example }: Given): HostParts {
  const ending = project.isTypeScript ? 'ts' : 'js'
  const hooks = ['ts', 'js']
    .map((end) => `src/hooks.server.${end}`)
    .find((file) => project.read(file) !== null)
  const mounted = lines(
    `import { host } from './lib/server/membership${project.isTypeScript ? '' : '.js'}'`,
    '',
    'export const { init, handle } = host',
  )
  return {
    created: {
      [`src/lib/server/membership.${ending}`]: lines(
        "import { createMembership } from 'membership'",
        "import { svelteKitHost } from 'membership/sveltekit'",
        `import options from '../../../membership.config${project.isTypeScript ? '' : '.js'}'`,
        '',
        'export const host = svelteKitHost(() => createMembership(options), {',
        `  gates: { '${example.path}': '${gate}' },`,
        '})',
      ),
      ...(hooks === undefined ? { [`src/hooks.server.${ending}`]: mounted } : {}),
      // A text in a .svelte file would be part of the scripts that every browser loads.
      [`src/routes${example.path}/+page.server.${ending}`]: lines(
        "export const load = () => ({ text: 'The archive.' })",
      ),
      [`src/routes${example.path}/+page.svelte`]: lines(
        '<script>',
        '  let { data } = $props()',
        '</script>',
        '',
        '<p>{data.text}</p>',
      ),
    },
    edited: [],
    left:
      hooks === undefined
        ? []
        : [
            {
              file: hooks,
              line: 1,
              reason: 'This file has hooks already. Export host.init, and put host.handle behind your login:',
              text: "import { sequence } from '@sveltejs/kit/hooks'\nimport { host } from './lib/server/membership'\n\nexport const { init } = host\nexport const handle = sequence(yourHandle, host.handle)",
            },
          ],
  }
}

function reactRouterParts({ project, config: { gate }, example }: Given): HostParts {
  const isTyped = project.isTypeScript
  const [ending, page] = isTyped ? ['ts', 'tsx'] : ['js', 'jsx']
  const from = isTyped ? '' : '.js'
  const name = example.path.slice(1)
  const major = Number(/\d+/.exec(rangeOf(project, '@react-router/dev') ?? '')?.[0] ?? 8)
  const root = rootEdited(project, `app/root.${page}`, from)
  const routes = routesEdited(project, `app/routes.${ending}`, {
    imports: 'route',
    entries: [
      `route('membership/*', 'routes/membership.${ending}')`,
      `route('${name}', 'routes/${name}.${page}')`,
    ],
  })
  const flag =
    major >= 8
      ? none
      : configEdited(project, 'react-router.config', { also: 'future: { v8_middleware: true }' })
  return {
    created: {
      [`app/membership.server.${ending}`]: lines(
        "import { createMembership } from 'membership'",
        "import { reactRouterHost } from 'membership/react-router'",
        `import options from '../membership.config${from}'`,
        '',
        'export const host = reactRouterHost(() => createMembership(options))',
      ),
      [`app/routes/membership.${ending}`]: lines(
        `import { host } from '../membership.server${from}'`,
        '',
        '// By these React Router knows the addresses; the middleware in app/root answers them.',
        'export const loader = host.loader',
        'export const action = host.action',
      ),
      [`app/routes/${name}.${page}`]: lines(
        "import { useLoaderData } from 'react-router'",
        `import { host } from '../membership.server${from}'`,
        '',
        `export const middleware = [host.gate('${gate}')]`,
        '// A text outside of the loader would be part of the scripts that every browser loads.',
        "export const loader = () => ({ text: 'The archive.' })",
        '',
        'export default function Archive() {',
        isTyped
          ? '  return <p>{useLoaderData<typeof loader>().text}</p>'
          : '  return <p>{useLoaderData().text}</p>',
        '}',
      ),
    },
    edited: [...root.edited, ...routes.edited, ...flag.edited],
    left: [...root.left, ...routes.left, ...flag.left],
  }
}

function payloadParts({ project, config: { gate }, example }: Given): HostParts {
  const { sources, isTypeScript, read } = project
  const ending = isTypeScript ? 'ts' : 'js'
  const home = sources.some((file) => file.startsWith('src/app/')) ? 'src/app/' : 'app/'
  const group = sources.some((file) => file.startsWith(`${home}(frontend)/`)) ? `${home}(frontend)/` : home
  const isBelow = configName(project, 'src/payload.config') !== null
  const name = isBelow ? 'src/payload.config' : 'payload.config'
  const plugin = "membershipPlugin({ members: 'members', membership: options })"
  const from = isTypeScript ? '' : project.manifest.type === 'module' ? '.js' : '.mjs'
  const imports = [
    "import { membershipPlugin } from 'membership/payload'",
    `import options from '${isBelow ? '..' : '.'}/membership.config${from}'`,
  ]
  const file = configName(project, name)
  const text = file === null ? '' : read(file)!
  const added: Placed = sources.some((source) => /\bslug:\s*['"]members['"]/.test(read(source) ?? ''))
    ? {
        edited: [],
        left: [
          {
            file: file ?? `${name}.${ending}`,
            line: text === '' ? null : 1,
            reason: 'There is a collection "members" already. If it has `auth`, add the plugin:',
            text: [...imports, '', `plugins: [${plugin}]`].join('\n'),
          },
        ],
      }
    : configEdited(project, name, {
        lists: [
          // The users of the admin edit. Members are others, so that no member is an editor.
          ['collections', "{ slug: 'members', auth: { verify: true }, fields: [] }"],
          ['plugins', plugin],
        ],
        imports,
      })
  // Next must not bundle the package.
  const bundling = configEdited(project, 'next.config', {
    lists: [['serverExternalPackages', "'membership'"]],
  })
  return {
    created: {
      [`${group}membership/[...path]/route.${ending}`]: lines(
        "import config from '@payload-config'",
        "import { membershipRoutes } from 'membership/payload'",
        '',
        'export const { GET, POST } = membershipRoutes(config)',
      ),
      [`${group.slice(0, -1)}${example.path}/page.${ending}x`]: lines(
        "import config from '@payload-config'",
        "import { viewOf } from 'membership/payload'",
        "import { headers } from 'next/headers'",
        "import { redirect } from 'next/navigation'",
        "import { getPayload } from 'payload'",
        '',
        'export default async function Archive() {',
        '  const payload = await getPayload({ config })',
        '  const sent = await headers()',
        '  const { user } = await payload.auth({ headers: sent })',
        '  const view = await viewOf({ payload, user, headers: sent })',
        `  if (!view.allows('${gate}')) redirect('/membership/prices')`,
        '  return <p>The archive.</p>',
        '}',
      ),
    },
    edited: [...added.edited, ...bundling.edited],
    left: [...added.left, ...bundling.left],
    notes: [
      'A buyer opens the page as a user of the collection "members" with a verified address. Editors make users in the admin.',
    ],
  }
}

function strapiParts({ project, config: { gate }, example }: Given): HostParts {
  const isTyped = project.isTypeScript
  const ending = isTyped ? 'ts' : 'js'
  const name = example.path.slice(1)
  const file = `config/plugins.${ending}`
  const exported = isTyped ? 'export default ' : 'module.exports = '
  const imported = isTyped
    ? "import options from '../membership.config'"
    : "const options = require('../membership.config')"
  const entry = 'membership: { enabled: true, config: { membership: options } }'
  const isNew = project.read(file) === null
  const plugins = isNew ? none : configEdited(project, 'config/plugins', { also: entry, imports: [imported] })
  return {
    created: {
      ...(isNew ? { [file]: lines(imported, '', `${exported}() => ({`, `  ${entry},`, '})') } : {}),
      [`src/api/${name}/controllers/${name}.${ending}`]: lines(
        `${exported}{`,
        isTyped ? '  show(ctx: { body: unknown }) {' : '  show(ctx) {',
        "    ctx.body = 'The archive.'",
        '  },',
        '}',
      ),
      [`src/api/${name}/routes/${name}.${ending}`]: lines(
        `${exported}{`,
        '  routes: [',
        '    {',
        ...[`method: 'GET',`, `path: '${example.path}',`, `handler: '${name}.show',`].map(
          (line) => `      ${line}`,
        ),
        // The resolution of modules in Strapi's own tsconfig.json does not find types of `membership/strapi`.
        `      config: { auth: false, policies: [{ name: 'plugin::membership.requires', config: { gates: ['${gate}'] } }] },`,
        '    },',
        '  ],',
        '}',
      ),
    },
    edited: plugins.edited,
    left: plugins.left,
    page: `/api${example.path}`,
    notes: [
      'A buyer opens the page as a user of Strapi with a confirmed address: “When something goes wrong” in node_modules/membership/docs/strapi.md.',
    ],
  }
}

const endings = ['ts', 'mts', 'js', 'mjs', 'cjs']

/** Returns the file of configuration that a project has; null if it has none. */
function configName({ read }: Project, name: string): string | null {
  return endings.map((ending) => `${name}.${ending}`).find((file) => read(file) !== null) ?? null
}

function configText(project: Project, name: string): string | null {
  const file = configName(project, name)
  return file === null ? null : project.read(file)
}

interface Addition {
  /** Lists of the configuration, each with the entry that it gets. */
  readonly lists?: readonly (readonly [list: string, entry: string])[]
  /** A further entry of the configuration itself. */
  readonly also?: string
  readonly imports?: readonly string[]
}

type Placed = Pick<HostParts, 'edited' | 'left'>

/** Adds entries to the object that a configuration exports. What cannot be placed is left to a person. */
function configEdited(project: Project, name: string, addition: Addition): Placed {
  const { lists = [], also, imports = [] } = addition
  const file = configName(project, name)
  const words = [
    ...imports,
    ...lists.map(([list, entry]) => `${list}: [${entry}],`),
    ...(also === undefined ? [] : [`${also},`]),
  ]
  const text = file === null ? '' : project.read(file)!
  const program = file === null ? null : parseScript(text, file)
  const value = program === null ? null : exportedValue(program)
  const key = also?.split(':')[0]
  const groups = lists.map(([list, entry]) => ({
    list,
    entry,
    group: value === null ? null : propertyOf(value, list),
  }))
  const isPlaceable =
    value?.type === 'ObjectExpression' &&
    groups.every(({ group }) => group === null || group.type === 'ArrayExpression') &&
    (key === undefined || propertyOf(value, key) === null)
  if (file === null || program === null || !isPlaceable)
    return { edited: [], left: [leftAt(file ?? `${name}.ts`, text, value, words)] }
  const styled = (code: string) => inStyle(text, code).replace(/;$/, '')
  const below = [
    ...groups.filter(({ group }) => group === null).map(({ list, entry }) => `${list}: [${entry}]`),
    ...(also === undefined ? [] : [also]),
  ].map(styled)
  const import_ = imports.map((line) => inStyle(text, line))
  const importing = import_.length === 0 ? null : importEdit(text, program, value.start, import_.join('\n'))
  if (import_.length > 0 && importing === null)
    return { edited: [], left: [leftAt(file, text, value, words)] }
  return {
    edited: [
      {
        file,
        edits: [
          ...(importing === null ? [] : [importing]),
          ...groups.flatMap(({ group, entry }) =>
            group === null ? [] : [entryEdit(text, group, [styled(entry)])],
          ),
          ...(below.length === 0 ? [] : [entryEdit(text, value, below)]),
        ],
      },
    ],
    left: [],
  }
}

function leftAt(file: string, text: string, at: ScriptNode | null, words: readonly string[]): Left {
  return {
    file,
    line: at === null ? (text === '' ? null : 1) : placeOf(text, at.start).line,
    reason: 'This could not be placed. Add to the configuration:',
    text: words.join('\n'),
  }
}

/** Mounts the middleware in the root route. */
function rootEdited(project: Project, file: string, ending: string): Placed {
  const text = project.read(file)
  const code = [
    `import { host } from './membership.server${ending}'`,
    'export const middleware = [host.middleware]',
  ]
  const program = text === null ? null : parseScript(text, file)
  if (text === null || program === null || /\bmiddleware\b|\bhost\b/.test(text))
    return { edited: [], left: [leftAt(file, text ?? '', null, code)] }
  const [line = '', mount = ''] = code
  const edit = importEdit(text, program, text.length, `${inStyle(text, line)}\n\n${inStyle(text, mount)}`)
  return edit === null
    ? { edited: [], left: [leftAt(file, text, null, code)] }
    : { edited: [{ file, edits: [edit] }], left: [] }
}

/** Adds routes to `app/routes`, and imports `route`. */
function routesEdited(
  project: Project,
  file: string,
  { imports, entries }: { readonly imports: string; readonly entries: readonly string[] },
): Placed {
  const text = project.read(file)
  const program = text === null ? null : parseScript(text, file)
  const value = program === null ? null : exportedValue(program)
  const from = '@react-router/dev/routes'
  const left = {
    edited: [],
    left: [leftAt(file, text ?? '', value, [`import { ${imports} } from '${from}'`, ...entries])],
  }
  if (text === null || program === null || value?.type !== 'ArrayExpression') return left
  const edits: EditedFile['edits'][number][] = []
  if (!new RegExp(`\\b${imports}\\b(?=[^;'"]*['"]${from})`).test(text)) {
    const edit = importEdit(text, program, value.start, inStyle(text, `import { ${imports} } from '${from}'`))
    if (edit === null) return left
    edits.push(edit)
  }
  const written = entries.map((entry) => inStyle(text, entry).replace(/;$/, ''))
  return { edited: [{ file, edits: [...edits, entryEdit(text, value, written)] }], left: [] }
}
