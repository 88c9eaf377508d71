import { isScriptNode, type ScriptNode } from '../script.ts'
import type { Code, Key } from './code.ts'

/** The key that a property is read or written by; null where only running the code tells. */
export const keyOf = (property: ScriptNode, isComputed: boolean): Key | null => {
  if (property.type === 'StringLiteral') return String(property.value)
  if (property.type === 'NumericLiteral')
    return Number.isInteger(property.value) ? (property.value as number) : null
  return !isComputed && property.type === 'Identifier' ? String(property.name) : null
}

/** The names that a pattern declares. */
export const namesIn = (pattern: ScriptNode): string[] => {
  switch (pattern.type) {
    case 'Identifier':
      return [String(pattern.name)]
    case 'AssignmentPattern':
      return namesIn(pattern.left as ScriptNode)
    case 'RestElement':
      return namesIn(pattern.argument as ScriptNode)
    case 'TSParameterProperty':
      return namesIn(pattern.parameter as ScriptNode)
    case 'ArrayPattern':
      return (pattern.elements as unknown[]).filter(isScriptNode).flatMap(namesIn)
    case 'ObjectPattern':
      return (pattern.properties as ScriptNode[]).flatMap((property) =>
        namesIn((property.type === 'RestElement' ? property : property.value) as ScriptNode),
      )
    default:
      return []
  }
}

/** Types, comments, and the parser's own notes: they hold no values. */
export const unread = new Set([
  'leadingComments',
  'trailingComments',
  'innerComments',
  'typeAnnotation',
  'typeParameters',
  'typeArguments',
  'superTypeParameters',
  'returnType',
  'implements',
])

/** A function with the name that is written where it is made: `const f = …`, `exports.f = …`, `{ f: … }`. */
export const withName = <T extends Code>(code: T, where: unknown): T => {
  const name = code.kind === 'function' && isScriptNode(where) ? lastWord(where) : null
  return name === null ? code : { ...code, name }
}

const lastWord = (node: ScriptNode): string | null => {
  if (node.type === 'PrivateName') return lastWord(node.id as ScriptNode)
  const word = keyOf(node.type === 'MemberExpression' ? (node.property as ScriptNode) : node, false)
  return word === null ? null : String(word)
}

/** `module.exports = …` */
export const isDefaultExport = (target: unknown): boolean =>
  isScriptNode(target) &&
  target.type === 'MemberExpression' &&
  (target.object as ScriptNode).name === 'module' &&
  (target.property as ScriptNode).name === 'exports'
