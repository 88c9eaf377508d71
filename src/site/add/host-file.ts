import { type Example, lines } from './parts.ts'
import type { AddHost } from './project.ts'

/** Hosts whose application is made by code of the site. */
export type ServerHost = Extract<AddHost, 'koa' | 'express' | 'fastify' | 'hono' | 'nest'>

/** The language of the new file, and if it may wait for the database at its top level. */
export interface HostFileForm {
  readonly isTyped: boolean
  /** True if the file is loaded by `require()`, also after compiling. */
  readonly isCommonJs: boolean
  /** The options as the file imports them, such as `./membership.config.js`. */
  readonly options: string
}

/** Returns `membership-host`: what the site's own code mounts. */
export function hostFile(host: ServerHost, form: HostFileForm, example: Example): string {
  const { isTyped, isCommonJs, options } = form
  const isRequired = isCommonJs && !isTyped
  const imported = (names: string, from: string) =>
    isRequired ? `const { ${names} } = require('${from}')` : `import { ${names} } from '${from}'`
  const { entry, type } = parts[host]
  return lines(
    imported('createMembership', 'membership'),
    ...(entry === null ? [] : [imported(`${host}Host`, `membership/${host}`)]),
    ...(isTyped && type !== null && needsType(host, isCommonJs)
      ? [`import type { ${type} } from '${host}'`]
      : []),
    isRequired ? `const options = require('${options}')` : `import options from '${options}'`,
    '',
    ...bodyOf(host, form, example),
    ...(isRequired ? ['', 'module.exports = { membershipHost }'] : []),
  )
}

function needsType(host: ServerHost, isCommonJs: boolean): boolean {
  return host === 'koa' || isCommonJs
}

const parts: Readonly<Record<ServerHost, { entry: string | null; type: string | null }>> = {
  koa: { entry: null, type: 'Middleware' },
  express: { entry: 'express', type: 'RequestHandler' },
  fastify: { entry: 'fastify', type: 'FastifyPluginAsync, preHandlerAsyncHookHandler' },
  hono: { entry: 'hono', type: 'MiddlewareHandler' },
  nest: { entry: 'nest', type: null },
}

function bodyOf(
  host: ServerHost,
  { isTyped, isCommonJs }: HostFileForm,
  { gate, path }: Example,
): readonly string[] {
  const exported = isCommonJs && !isTyped ? 'const' : 'export const'
  const typed = (type: string) => (isTyped ? `: ${type}` : '')
  if (host === 'nest') return [`${exported} membershipHost = nestHost(() => createMembership(options))`]
  if (host === 'koa') return koaBody({ exported, typed, isCommonJs, gate, path })
  if (!isCommonJs) return [`${exported} membershipHost = ${host}Host(await createMembership(options))`]
  // A file that is loaded by require() cannot wait, so each request does.
  const opening = `const opening = createMembership(options).then((m) => ${host}Host(m))`
  const gates = isTyped ? '(gates: string)' : '(gates)'
  if (host === 'fastify')
    return [
      opening,
      `const plugin${typed('FastifyPluginAsync')} = async (app) => {`,
      '  await app.register((await opening).plugin)',
      '}',
      '// Fastify applies the plugin to the whole application.',
      "Object.assign(plugin, { [Symbol.for('skip-override')]: true })",
      '',
      `${exported} membershipHost = {`,
      '  plugin,',
      `  gate: ${gates}${typed('preHandlerAsyncHookHandler')} =>`,
      '    async function (request, reply) {',
      '      return (await opening).gate(gates).call(this, request, reply)',
      '    },',
      '}',
    ]
  const [type, given] =
    host === 'express' ? ['RequestHandler', 'request, response, next'] : ['MiddlewareHandler', 'c, next']
  return [
    opening,
    '',
    `${exported} membershipHost = {`,
    `  middleware: ()${typed(type!)} => async (${given}) => (await opening).middleware()(${given}),`,
    `  gate: ${gates}${typed(type!)} => async (${given}) => (await opening).gate(gates)(${given}),`,
    '}',
  ]
}

function koaBody(given: {
  readonly exported: string
  readonly typed: (type: string) => string
  readonly isCommonJs: boolean
  readonly gate: string
  readonly path: string
}): readonly string[] {
  const { exported, typed, isCommonJs, gate, path } = given
  const [routes, closed] = isCommonJs
    ? ['(ctx, next) => opening.then(({ routes }) => routes(ctx, next))', '(await opening).closed']
    : ['m.koa()', 'closed']
  return [
    ...(isCommonJs
      ? [
          '// A file that is loaded by require() cannot wait, so each request does.',
          `const opening = createMembership(options).then((m) => ({ routes: m.koa(), closed: m.gate('${gate}') }))`,
        ]
      : ['const m = await createMembership(options)', `const closed = m.gate('${gate}')`]),
    '',
    `const routes${typed('Middleware')} = ${routes}`,
    `// An example: only members with the plan "${gate}" open ${path}.`,
    `const archive${typed('Middleware')} = async (ctx, next) => {`,
    `  if (ctx.path !== '${path}') return next()`,
    `  return ${closed}(ctx, async () => {`,
    "    ctx.body = 'The archive.'",
    '  })',
    '}',
    '',
    `${exported} membershipHost = { routes, archive }`,
  ]
}
