import { parse } from '@babel/parser'

/** A node of the syntax tree of JavaScript or TypeScript. Only the common fields are typed. */
export interface ScriptNode {
  readonly type: string
  readonly start: number
  readonly end: number
  readonly [property: string]: unknown
}

/**
 * Parses JavaScript or TypeScript (JSX by file name) as a tree with offsets of `text`; null if it cannot be
 * parsed. Nothing is executed. `hasDecorators` reads `@Module({ … })`, too.
 */
export function parseScript(text: string, file: string, hasDecorators = false): ScriptNode | null {
  const isTypeScript = /\.[cm]?tsx?$/.test(file)
  const hasJsx = /x$/.test(file) || /\.[cm]?js$/.test(file)
  try {
    const tree = parse(text, {
      sourceType: 'unambiguous',
      allowReturnOutsideFunction: true,
      allowAwaitOutsideFunction: true,
      allowImportExportEverywhere: true,
      allowSuperOutsideMethod: true,
      allowUndeclaredExports: true,
      plugins: [
        ...(isTypeScript ? (['typescript'] as const) : []),
        ...(hasJsx ? (['jsx'] as const) : []),
        ...(hasDecorators ? (['decorators-legacy'] as const) : []),
      ],
    })
    return tree.program as unknown as ScriptNode
  } catch {
    return null
  }
}

/** Returns true for a property that is a node itself: an object with a `type` and a `start`. */
export function isScriptNode(value: unknown): value is ScriptNode {
  return (
    typeof value === 'object' &&
    value !== null &&
    typeof (value as ScriptNode).type === 'string' &&
    typeof (value as ScriptNode).start === 'number'
  )
}

/** Visits every node, parents first, in source order. */
export function walkScript(
  node: ScriptNode,
  visit: (node: ScriptNode, parents: readonly ScriptNode[]) => void,
): void {
  const parents: ScriptNode[] = []
  const go = (current: ScriptNode) => {
    visit(current, parents)
    parents.push(current)
    for (const [name, value] of Object.entries(current)) {
      if (name === 'leadingComments' || name === 'trailingComments' || name === 'innerComments') continue
      for (const inner of Array.isArray(value) ? value : [value]) if (isScriptNode(inner)) go(inner)
    }
    parents.pop()
  }
  go(node)
}
