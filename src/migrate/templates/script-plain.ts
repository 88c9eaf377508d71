import { isScriptNode, type ScriptNode } from '../script.ts'
import type { Code } from './code.ts'

/** The nodes that become one piece of the common tree with the same parts; null for all others. */
export const fromPlainScript = (node: ScriptNode, convert: (node: unknown) => Code): Code | null => {
  const span = { start: node.start, end: node.end }
  const all = (nodes: unknown): Code[] =>
    Array.isArray(nodes) ? nodes.filter(isScriptNode).map(convert) : []
  const orNull = (inner: unknown): Code | null => (isScriptNode(inner) ? convert(inner) : null)
  switch (node.type) {
    case 'ExpressionStatement':
      return { kind: 'statement', ...span, inner: convert(node.expression) }
    case 'ReturnStatement':
      return { kind: 'return', ...span, value: orNull(node.argument) }
    case 'ThisExpression':
      return { kind: 'name', ...span, name: 'this' }
    case 'StringLiteral':
    case 'NumericLiteral':
    case 'BooleanLiteral':
      return { kind: 'literal', ...span, value: node.value as string | number | boolean }
    case 'TemplateElement':
      return { kind: 'literal', ...span, value: cooked(node) }
    case 'NullLiteral':
      return { kind: 'literal', ...span, value: null }
    case 'CallExpression':
    case 'OptionalCallExpression':
    case 'NewExpression':
      return {
        kind: 'call',
        ...span,
        callee: convert(node.callee),
        args: all(node.arguments),
        isNew: node.type === 'NewExpression',
      }
    case 'IfStatement':
      return {
        kind: 'if',
        ...span,
        test: convert(node.test),
        yes: convert(node.consequent),
        no: orNull(node.alternate),
      }
    case 'BinaryExpression':
    case 'LogicalExpression':
      return {
        kind: 'binary',
        ...span,
        operator: String(node.operator),
        left: convert(node.left),
        right: convert(node.right),
      }
    case 'ConditionalExpression':
      return {
        kind: 'choice',
        ...span,
        test: convert(node.test),
        yes: convert(node.consequent),
        no: convert(node.alternate),
      }
    case 'TSNonNullExpression':
    case 'TSAsExpression':
    case 'TSSatisfiesExpression':
    case 'TSTypeAssertion':
      return { kind: 'wrap', ...span, inner: convert(node.expression) }
    case 'AwaitExpression':
      return { kind: 'wrap', ...span, inner: convert(node.argument) }
    case 'Identifier':
      return {
        kind: 'name',
        start: node.start,
        end: node.start + String(node.name).length,
        name: String(node.name),
      }
    default:
      return null
  }
}

const cooked = (piece: ScriptNode): string => (piece.value as { cooked?: string }).cooked ?? ''
