import type { Edit } from '../../migrate/edits.ts'
import { indentAt, lineStart, newlineOf } from '../../migrate/lines.ts'
import { isScriptNode, type ScriptNode } from '../../migrate/script.ts'
import { nameOf } from './places.ts'

/**
 * Returns what a file exports by default, without what only TypeScript or a helper such as `defineConfig()`
 * puts around it; a function stands for the value that it returns.
 */
export function exportedValue(program: ScriptNode): ScriptNode | null {
  const body = program.body as readonly ScriptNode[]
  const exported = body.find(({ type }) => type === 'ExportDefaultDeclaration')
  const assigned = body.find(
    ({ type, expression }) =>
      type === 'ExpressionStatement' &&
      isScriptNode(expression) &&
      expression.type === 'AssignmentExpression' &&
      nameOf((expression.left as ScriptNode).property) === 'exports',
  )
  const value = exported?.declaration ?? (assigned?.expression as ScriptNode | undefined)?.right
  return isScriptNode(value) ? unwrapped(value, body) : null
}

function unwrapped(value: ScriptNode, body: readonly ScriptNode[]): ScriptNode | null {
  switch (value.type) {
    case 'TSSatisfiesExpression':
    case 'TSAsExpression':
    case 'ParenthesizedExpression':
      return unwrapped(value.expression as ScriptNode, body)
    case 'ArrowFunctionExpression':
      return unwrapped(value.body as ScriptNode, body)
    case 'CallExpression': {
      const [first] = value.arguments as readonly ScriptNode[]
      return first === undefined ? null : unwrapped(first, body)
    }
    case 'Identifier': {
      const declared = body
        .flatMap((node) => (node.type === 'VariableDeclaration' ? (node.declarations as ScriptNode[]) : []))
        .find(({ id }) => nameOf(id) === nameOf(value))
      return isScriptNode(declared?.init) ? unwrapped(declared.init, body) : null
    }
    default:
      return value
  }
}

/** Returns the value of a property of an object; null if it has none of that name. */
export function propertyOf(object: ScriptNode, name: string): ScriptNode | null {
  if (object.type !== 'ObjectExpression') return null
  const found = (object.properties as readonly ScriptNode[]).find((property) => nameOf(property.key) === name)
  return isScriptNode(found?.value) ? found.value : null
}

/**
 * Returns the edit that adds entries to the end of an object or a list, in its manner: each on a line of its
 * own where the others have one.
 */
export function entryEdit(text: string, group: ScriptNode, entries: readonly string[]): Edit {
  const all = (group.properties ?? group.elements) as readonly (ScriptNode | null)[]
  const last = all.findLast((node) => node !== null)
  const newline = newlineOf(text)
  const indent = indentAt(text, group.start)
  const isOpen = text.slice(group.start, group.end).includes('\n')
  const unit = indent.includes('\t') || /\n\t/.test(text) ? '\t' : '  '
  const close = group.end - 1
  const body = (within: string) => entries.join(`,${newline}${within}`)
  if (last === null || last === undefined) {
    if (!isOpen) {
      const isList = group.type === 'ArrayExpression'
      if (isList) return { start: close, end: close, text: entries.join(', ') }
      const inner = `${newline}${indent}${unit}${body(indent + unit)},${newline}${indent}`
      return { start: group.start + 1, end: close, text: inner }
    }
    const within = indent + unit
    const at = lineStart(text, close)
    return { start: at, end: at, text: `${within}${body(within)},${newline}` }
  }
  if (!isOpen) return { start: last.end, end: last.end, text: `, ${entries.join(', ')}` }
  const within = indentAt(text, last.start)
  const comma = /^\s*,/.exec(text.slice(last.end, close))?.[0]
  const at = last.end + (comma?.length ?? 0)
  const begins = comma === undefined ? ',' : ''
  return {
    start: at,
    end: at,
    text: `${begins}${newline}${within}${body(within)}${comma === undefined ? '' : ','}`,
  }
}
