import { isPhpNode, type PhpNode } from '../php.ts'
import { type ScriptNode, walkScript } from '../script.ts'
import { type Code, walkCode } from './code.ts'

/**
 * Returns true if every call and every access of the parser's tree has its node in the common tree. If one is
 * missing, the code that is proven is not the code that runs.
 */
export function isWholePhp(tree: PhpNode, code: Code): boolean {
  const counts = countsOf(code)
  let isWhole = true
  const go = (node: PhpNode) => {
    if (phpCalls.has(node.kind) || (phpMembers.has(node.kind) && !isConstant(node)))
      isWhole = take(counts, phpCalls.has(node.kind) ? 'call' : 'member', node.start) && isWhole
    for (const value of Object.values(node))
      for (const inner of Array.isArray(value) ? value : [value]) if (isPhpNode(inner)) go(inner)
  }
  go(tree)
  return isWhole
}

const phpCalls = new Set(['call', 'new'])
const phpMembers = new Set(['propertylookup', 'nullsafepropertylookup', 'staticlookup', 'offsetlookup'])

// `A::B` holds a constant; the converter leaves out those of attributes.
function isConstant(node: PhpNode): boolean {
  return node.kind === 'staticlookup' && isPhpNode(node.offset) && node.offset.kind === 'identifier'
}

/** The same for JavaScript and TypeScript. */
export function isWholeScript(tree: ScriptNode, code: Code): boolean {
  const counts = countsOf(code)
  let isWhole = true
  walkScript(tree, ({ type, start }) => {
    if (scriptCalls.has(type)) isWhole = take(counts, 'call', start) && isWhole
    else if (scriptMembers.has(type)) isWhole = take(counts, 'member', start) && isWhole
  })
  return isWhole
}

const scriptCalls = new Set(['CallExpression', 'OptionalCallExpression', 'NewExpression'])
const scriptMembers = new Set(['MemberExpression', 'OptionalMemberExpression'])

function countsOf(code: Code): Map<string, number> {
  const counts = new Map<string, number>()
  walkCode(code, ({ kind, start }) => {
    if (kind !== 'call' && kind !== 'member') return
    const key = `${kind} ${start}`
    counts.set(key, (counts.get(key) ?? 0) + 1)
  })
  return counts
}

function take(counts: Map<string, number>, kind: 'call' | 'member', start: number): boolean {
  const key = `${kind} ${start}`
  const count = counts.get(key) ?? 0
  counts.set(key, count - 1)
  return count > 0
}
