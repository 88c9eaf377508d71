import { isPhpNode, type PhpNode, parsePhp } from '../php.ts'

/** The literals of a PHP file that returns an array; what is computed is `undefined`. Null when the file is no such
 *  thing. Nothing is executed. */
export const phpLiterals = (text: string): Map<string, unknown> | null => {
  const program = parsePhp(text)
  const body = program?.children
  const last = Array.isArray(body)
    ? body.findLast((node) => isPhpNode(node) && node.kind === 'return')
    : undefined
  if (!isPhpNode(last) || !isPhpNode(last.expr) || last.expr.kind !== 'array') return null
  return new Map(
    itemsOf(last.expr).flatMap(({ key, value }) => {
      const name = literalOf(key)
      return typeof name === 'string' ? [[name.toLowerCase(), literalOf(value)] as const] : []
    }),
  )
}

const itemsOf = (array: PhpNode): { key: unknown; value: unknown }[] =>
  (Array.isArray(array.items) ? array.items : [])
    .filter((item) => isPhpNode(item) && item.kind === 'entry' && item.unpack !== true)
    .map((item: PhpNode) => ({ key: item.key, value: item.value }))

const literalOf = (node: unknown): unknown => {
  if (!isPhpNode(node)) return undefined
  if (node.kind === 'string' || node.kind === 'nowdoc') return String(node.value)
  if (node.kind === 'nullkeyword') return null
  if (node.kind !== 'array') return undefined
  return itemsOf(node).map(({ value }) => literalOf(value))
}
