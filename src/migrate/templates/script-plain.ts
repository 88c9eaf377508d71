import { isScriptNode, type ScriptNode } from '../script.ts'
import type { Code, Span } from './code.ts'

/** Converts nodes that become one piece of the common tree with the same parts; null for all others. */
export function fromPlainScript(node: ScriptNode, convert: Convert): Code | null {
  return Object.hasOwn(kinds, node.type) ? kinds[node.type]!(node, convert) : null
}

type Convert = (node: unknown) => Code
type Read = (node: ScriptNode, convert: Convert) => Code

const call: Read = (node, convert) => ({
  kind: 'call',
  ...spanOf(node),
  callee: convert(node.callee),
  args: Array.isArray(node.arguments) ? node.arguments.filter(isScriptNode).map(convert) : [],
  isNew: node.type === 'NewExpression',
})

const literal: Read = (node) => ({
  kind: 'literal',
  ...spanOf(node),
  value: node.value as string | number | boolean,
})

const binary: Read = (node, convert) => ({
  kind: 'binary',
  ...spanOf(node),
  operator: String(node.operator),
  left: convert(node.left),
  right: convert(node.right),
})

const wrap: Read = (node, convert) => ({
  kind: 'wrap',
  ...spanOf(node),
  inner: convert(node.expression),
})

// The parser's names for each kind.
const kinds: Readonly<Record<string, Read>> = {
  ExpressionStatement: (node, convert) => ({
    kind: 'statement',
    ...spanOf(node),
    inner: convert(node.expression),
  }),
  ReturnStatement: (node, convert) => ({
    kind: 'return',
    ...spanOf(node),
    value: orNull(node.argument, convert),
  }),
  ThisExpression: (node) => ({ kind: 'name', ...spanOf(node), name: 'this' }),
  StringLiteral: literal,
  NumericLiteral: literal,
  BooleanLiteral: literal,
  TemplateElement: (node) => ({ kind: 'literal', ...spanOf(node), value: cooked(node) }),
  NullLiteral: (node) => ({ kind: 'literal', ...spanOf(node), value: null }),
  CallExpression: call,
  OptionalCallExpression: call,
  NewExpression: call,
  IfStatement: (node, convert) => ({
    kind: 'if',
    ...spanOf(node),
    test: convert(node.test),
    yes: convert(node.consequent),
    no: orNull(node.alternate, convert),
  }),
  BinaryExpression: binary,
  LogicalExpression: binary,
  ConditionalExpression: (node, convert) => ({
    kind: 'choice',
    ...spanOf(node),
    test: convert(node.test),
    yes: convert(node.consequent),
    no: convert(node.alternate),
  }),
  TSNonNullExpression: wrap,
  TSAsExpression: wrap,
  TSSatisfiesExpression: wrap,
  TSTypeAssertion: wrap,
  AwaitExpression: (node, convert) => ({ kind: 'wrap', ...spanOf(node), inner: convert(node.argument) }),
  Identifier: (node) => ({
    kind: 'name',
    start: node.start,
    end: node.start + String(node.name).length,
    name: String(node.name),
  }),
}

/** Returns the place of a node in the text. */
export function spanOf({ start, end }: ScriptNode): Span {
  return { start, end }
}

function orNull(inner: unknown, convert: Convert): Code | null {
  return isScriptNode(inner) ? convert(inner) : null
}

function cooked(piece: ScriptNode): string {
  return (piece.value as { cooked?: string }).cooked ?? ''
}
