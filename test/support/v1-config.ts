import fc from 'fast-check'

/** A value as v1 sites write it. */
export type Written =
  | { kind: 'text'; value: string }
  | { kind: 'env'; name: string }
  | { kind: 'list'; value: string[] }
  | { kind: 'map'; value: Record<string, unknown> }
  | { kind: 'closure'; name: string }

export type WrittenTree = [key: string, value: Written | WrittenTree][]

export function isTree(value: Written | WrittenTree): value is WrittenTree {
  return Array.isArray(value)
}

export interface Style {
  format: 'php' | 'json' | 'jsonc' | 'yaml' | 'js' | 'ts'
  indent: string
  quote: "'" | '"'
  longArrays: boolean
  comments: boolean
  trailingCommas: boolean
  oneLine: boolean
  eol: '\n' | '\r\n'
}

export const styles: fc.Arbitrary<Style> = fc.record({
  format: fc.constantFrom('php', 'json', 'jsonc', 'yaml', 'js', 'ts'),
  indent: fc.constantFrom('  ', '    ', '\t'),
  quote: fc.constantFrom("'", '"'),
  longArrays: fc.boolean(),
  comments: fc.boolean(),
  trailingCommas: fc.boolean(),
  oneLine: fc.boolean(),
  eol: fc.constantFrom('\n', '\r\n'),
})

const text = fc.constantFrom(
  'sk_a',
  'whsec_b',
  'member',
  'stripe',
  'x y',
  'a.b',
  '0',
  "it's",
  'a, b',
  '# no comment',
)
const values: fc.Arbitrary<Written> = fc.oneof(
  text.map((value) => ({ kind: 'text' as const, value })),
  fc.constantFrom('STRIPE_SECRET', 'ROLE').map((name) => ({ kind: 'env' as const, name })),
  fc.array(text, { minLength: 1, maxLength: 3 }).map((value) => ({ kind: 'list' as const, value })),
  fc
    .dictionary(fc.constantFrom('mode', 'trial', 'a'), fc.oneof(text, fc.constant({ deep: 'er' })), {
      minKeys: 1,
    })
    .map((value) => ({ kind: 'map' as const, value })),
  fc.constantFrom('STRIPE_SECRET').map((name) => ({ kind: 'closure' as const, name })),
)

/** The v1 keys of the table, and some that belong to somebody else. */
export const v1Leaves = [
  'membership.stripe.secret',
  'membership.stripe.webhook',
  'membership.stripe.checkout',
  'membership.stripe.metadata',
  'membership.stripe.extra.deep',
  'membership.manageUsers.role',
  'membership.provider.current',
]
const otherLeaves = [
  'debug',
  'membership.ratelimit.limit',
  'membership.manageUsers.other',
  'membership.providers.paddle.secret',
  'membership.cache',
  'stripe.secret',
  'membershipx.stripe.secret',
  'other.membership.stripe.secret',
]

/** Where a dotted key is cut into nested ones. */
function cuts(key: string): fc.Arbitrary<string[]> {
  return fc.array(fc.boolean(), { minLength: 4, maxLength: 4 }).map((cut) =>
    key
      .split('.')
      .map((segment, i) => (i > 0 && cut[i - 1] ? `/${segment}` : i > 0 ? `.${segment}` : segment))
      .join('')
      .split('/'),
  )
}

// v1 knew one role; arrays laid over each other index by index are PHP's own matter.
function valuesOf(key: string) {
  return key.endsWith('.role')
    ? values.filter((v) => v.kind !== 'map' && (v.kind !== 'list' || v.value.length === 1))
    : values
}

function leaf(key: string) {
  return fc.tuple(cuts(key), valuesOf(key))
}

/** A configuration in which each key may stand in several forms at once, those that shadow each other included. */
export function configs(v1Keys: readonly string[] = v1Leaves): fc.Arbitrary<WrittenTree> {
  return fc
    .array(fc.constantFrom(...v1Keys, ...v1Keys, ...otherLeaves).chain(leaf), { minLength: 1, maxLength: 8 })
    .map((leaves) => leaves.reduce<WrittenTree>(put, []))
}

function put(tree: WrittenTree, [path, value]: [string[], Written]): WrittenTree {
  const [key, ...rest] = path as [string, ...string[]]
  const known = tree.find(([k]) => k === key)
  if (rest.length === 0) return known ? tree : [...tree, [key, value]]
  if (known && !isTree(known[1])) return tree
  const inner = put(known ? (known[1] as WrittenTree) : [], [rest, value])
  return known ? tree.map((item) => (item === known ? [key, inner] : item)) : [...tree, [key, inner]]
}

/** What the configuration says, with the environment's variables as `ENV:NAME`. */
export function dataOf(tree: WrittenTree): Record<string, unknown> {
  return Object.fromEntries(
    tree.map(([key, value]) => {
      if (isTree(value)) return [key, dataOf(value)]
      return [key, value.kind === 'env' || value.kind === 'closure' ? `ENV:${value.name}` : value.value]
    }),
  )
}

export function fileOf(style: Style, name = 'config'): string {
  const ending = { php: 'php', json: 'json', jsonc: 'jsonc', yaml: 'yml', js: 'js', ts: 'ts' }[style.format]
  return `site/config/${name}.${ending}`
}

/** The configuration as a person of this style would have written it. */
export function render(tree: WrittenTree, style: Style): string {
  const { format, eol } = style
  const body = format === 'yaml' ? yaml(tree, style, '') : braces(tree, style, '')
  const whole = {
    php: `<?php\n${style.comments ? '// the site\n' : ''}return ${body};\n`,
    json: `${body}\n`,
    jsonc: `${style.comments ? '// the site\n' : ''}${body}\n`,
    yaml: `${style.comments ? '# the site\n' : ''}${body}`,
    js: `module.exports = ${body}\n`,
    ts: `import { env } from 'membership'\n\nexport default ${body}\n`,
  }[format]
  return eol === '\n' ? whole : whole.replace(/\n/g, '\r\n')
}

function braces(tree: WrittenTree, style: Style, indent: string): string {
  const { format, oneLine, trailingCommas, comments } = style
  const [open, close] = format === 'php' ? (style.longArrays ? ['array(', ')'] : ['[', ']']) : ['{', '}']
  const inner = indent + style.indent
  const pairs = tree.map(([key, value]) => {
    const written = isTree(value) ? braces(value, style, inner) : literal(value, style, inner)
    return `${keyText(key, style)}${format === 'php' ? ' => ' : ': '}${written}`
  })
  if (oneLine)
    return `${open}${format === 'php' ? '' : ' '}${pairs.join(', ')}${format === 'php' ? '' : ' '}${close}`
  const canComment = comments && format !== 'json'
  const lines = pairs.map((pair, i) => {
    const comma = i < pairs.length - 1 || (trailingCommas && format !== 'json') ? ',' : ''
    const before = canComment && i % 3 === 1 ? `${inner}// about the next line, 'membership.stripe'\n` : ''
    return `${before}${inner}${pair}${comma}${canComment && i % 2 === 0 ? ' // said' : ''}`
  })
  return `${open}\n${lines.join('\n')}\n${indent}${close}`
}

function keyText(key: string, { format, quote }: Style): string {
  if (format === 'json' || format === 'jsonc') return JSON.stringify(key)
  if (format === 'php') return `${quote}${key}${quote}`
  if (format === 'yaml') return /^[\w.]+$/.test(key) ? key : JSON.stringify(key)
  return /^\w+$/.test(key) ? key : `${quote}${key}${quote}`
}

function quoted(value: string, { format, quote }: Style): string {
  if (format === 'json' || format === 'jsonc' || format === 'yaml') return JSON.stringify(value)
  return quote === "'" ? `'${value.replace(/'/g, "\\'")}'` : `"${value}"`
}

function literal(value: Written, style: Style, indent: string): string {
  const { format } = style
  const isData = format === 'json' || format === 'jsonc' || format === 'yaml'
  switch (value.kind) {
    case 'text':
      return quoted(value.value, style)
    case 'list': {
      const items = value.value.map((item) => quoted(item, style)).join(', ')
      return format === 'php' && style.longArrays ? `array(${items})` : `[${items}]`
    }
    case 'map':
      return braces(toTree(value.value), { ...style, oneLine: true }, indent)
    case 'env':
      return isData ? quoted(`\${${value.name}}`, style) : `env(${quoted(value.name, style)})`
    case 'closure':
      if (isData) return quoted(`\${${value.name}}`, style)
      return format === 'php'
        ? `fn () => env(${quoted(value.name, style)})`
        : `(() => env(${quoted(value.name, style)}))()`
    default:
      throw new TypeError(`unhandled ${value satisfies never}`)
  }
}

function toTree(value: Record<string, unknown>): WrittenTree {
  return Object.entries(value).map(([key, inner]) => [
    key,
    typeof inner === 'string' ? { kind: 'text', value: inner } : toTree(inner as Record<string, unknown>),
  ])
}

function yaml(tree: WrittenTree, style: Style, indent: string): string {
  return tree
    .map(([key, value], i) => {
      const comment = style.comments && i % 2 === 0 ? ' # said' : ''
      const step = style.indent === '\t' ? '  ' : style.indent
      const before = style.comments && i % 3 === 1 ? `${indent}# about the next line\n` : ''
      if (isTree(value))
        return style.oneLine && indent !== ''
          ? `${before}${indent}${keyText(key, style)}: ${braces(value, style, indent)}${comment}\n`
          : `${before}${indent}${keyText(key, style)}:${comment}\n${yaml(value, style, indent + step)}`
      return `${before}${indent}${keyText(key, style)}: ${literal(value, style, indent)}${comment}\n`
    })
    .join('')
}
