/** Place of a piece of source. */
export interface Span {
  readonly start: number
  readonly end: number
}

/** Names that a scope declares; null means that it declares every name used in it, like a PHP function. */
export interface Scope {
  readonly declares: Set<string> | null
  /** Names taken from outside although every name is declared here: `use ($x)`. */
  readonly captures: ReadonlySet<string>
}

interface Node extends Span {
  readonly scope?: Scope
  /** Default value of a parameter, or in a destructuring. */
  readonly fallback?: Code
}
export interface Name extends Node {
  readonly kind: 'name'
  readonly name: string
}
/** A PHP function, class or constant. */
export interface Word extends Node {
  readonly kind: 'word'
  readonly name: string
}
export interface Literal extends Node {
  readonly kind: 'literal'
  readonly value: string | number | boolean | null
}
export type Key = string | number
/** `$a['b']`, `$a->b`, `A::b`, `a.b`, `a['b']`, `a?.b` */
export interface Member extends Node {
  readonly kind: 'member'
  readonly object: Code
  /** null if it is known only at run time. */
  readonly key: Key | null
  readonly keyAt: Span
  readonly dynamic: Code | null
  readonly style: 'property' | 'index' | 'static'
  readonly isOptional: boolean
}
export interface Call extends Node {
  readonly kind: 'call'
  readonly callee: Code
  readonly args: readonly Code[]
  readonly isNew: boolean
}
export interface Fn extends Node {
  readonly kind: 'function'
  /** Declared name. */
  readonly name?: string
  /** Name by which other files import it, if it is this file's default export. */
  readonly exportedAs?: string
  /** Class that it is a method of. */
  readonly owner?: string
  /** True for a getter of JavaScript: a property that runs code. */
  readonly isGetter?: boolean
  /**
   * Positions of parameters that PHP takes by reference, and of those that become properties of the object.
   */
  readonly byReference?: readonly number[]
  readonly promoted?: readonly number[]
  readonly params: readonly Code[]
  /**
   * Types that PHP declares as `array`: the place of that word for each parameter, and for the return type.
   */
  readonly arrays?: { readonly params: readonly (Span | null)[]; readonly returned: Span | null }
  /** The same for `string`, `int`, `float` and `bool`. */
  readonly scalars?: { readonly params: readonly (Span | null)[]; readonly returned: Span | null }
  readonly body: Code
}
export interface Assign extends Node {
  readonly kind: 'assign'
  readonly target: Code
  readonly value: Code
  readonly operator: string
}
/** Target of a destructuring. */
export interface Pattern extends Node {
  readonly kind: 'pattern'
  readonly of: 'list' | 'object'
  readonly entries: readonly { readonly key: Key | null; readonly target: Code }[]
}
export interface Each extends Node {
  readonly kind: 'each'
  readonly list: Code
  readonly index: Code | null
  readonly target: Code
  readonly body: Code
}
export interface If extends Node {
  readonly kind: 'if'
  readonly test: Code
  readonly yes: Code
  readonly no: Code | null
}
/** `a === b`, `a ?? b`, `a + b` */
export interface Binary extends Node {
  readonly kind: 'binary'
  readonly operator: string
  readonly left: Code
  readonly right: Code
}
export interface Choice extends Node {
  readonly kind: 'choice'
  readonly test: Code
  readonly yes: Code | null
  readonly no: Code
}
/** A wrapper with its inner value: a cast, `await`, `a!`, `@$a`. */
export interface Wrap extends Node {
  readonly kind: 'wrap'
  readonly inner: Code
}
export interface Block extends Node {
  readonly kind: 'block'
  readonly body: readonly Code[]
}
/** A separate expression or declaration. */
export interface Statement extends Node {
  readonly kind: 'statement'
  readonly inner: Code
}
export interface Return extends Node {
  readonly kind: 'return'
  readonly value: Code | null
}
export interface Break extends Node {
  readonly kind: 'break'
}
/** HTML between the tags of a template. */
export interface Html extends Node {
  readonly kind: 'html'
  readonly isBlank: boolean
}
/** Everything else; `what` names it if a check needs that: `not`, `isset`, `list`, `simple`, … */
export interface Other extends Node {
  readonly kind: 'other'
  readonly what: string
  readonly children: readonly Code[]
  /** Place at which PHP declares a property `array`. */
  readonly array?: Span | null
  /** The same for `string`, `int`, `float` and `bool`. */
  readonly scalar?: Span | null
}

/**
 * Common tree of PHP and JavaScript, as far as the migration needs it; both syntax trees are converted to it.
 */
export type Code =
  | Name
  | Word
  | Literal
  | Member
  | Call
  | Fn
  | Assign
  | Pattern
  | Each
  | If
  | Binary
  | Choice
  | Wrap
  | Block
  | Statement
  | Return
  | Break
  | Html
  | Other

/** Returns the parts of a piece of code, in source order as far as it matters. */
export function childrenOf(code: Code): readonly Code[] {
  return code.fallback ? [...ownChildrenOf(code), code.fallback] : ownChildrenOf(code)
}

function ownChildrenOf(code: Code): readonly Code[] {
  switch (code.kind) {
    case 'member':
      return code.dynamic ? [code.object, code.dynamic] : [code.object]
    case 'call':
      return [code.callee, ...code.args]
    case 'function':
      return [...code.params, code.body]
    case 'assign':
      return [code.target, code.value]
    case 'pattern':
      return code.entries.map(({ target }) => target)
    case 'each':
      return [code.list, ...(code.index ? [code.index] : []), code.target, code.body]
    case 'if':
      return [code.test, code.yes, ...(code.no ? [code.no] : [])]
    case 'binary':
      return [code.left, code.right]
    case 'choice':
      return [code.test, ...(code.yes ? [code.yes] : []), code.no]
    case 'wrap':
    case 'statement':
      return [code.inner]
    case 'block':
      return code.body
    case 'return':
      return code.value ? [code.value] : []
    case 'other':
      return code.children
    case 'name':
    case 'word':
    case 'literal':
    case 'break':
    case 'html':
      return []
    default:
      throw new TypeError(`unhandled ${code satisfies never}`)
  }
}

/** Visits every piece, parents first. */
export function walkCode(code: Code, visit: (code: Code, parent: Code | null) => void): void {
  const go = (current: Code, parent: Code | null) => {
    visit(current, parent)
    for (const child of childrenOf(current)) go(child, current)
  }
  go(code, null)
}

/** Unwraps casts, `await` and similar. */
export function unwrap(code: Code): Code {
  return code.kind === 'wrap' ? unwrap(code.inner) : code
}

/** Returns the name of a call: `user` for `kirby()->user()`, `A::first` for a static one. */
export function calledName(call: Call): string | null {
  const callee = unwrap(call.callee)
  if (callee.kind === 'name' || callee.kind === 'word') return callee.name.replace(/^\\/, '')
  if (callee.kind !== 'member' || typeof callee.key !== 'string') return null
  if (callee.style !== 'static') return callee.key
  const owner = unwrap(callee.object)
  return owner.kind === 'word' ? `${owner.name.replace(/^.*\\/, '')}::${callee.key}` : callee.key
}

/** Returns the object that a method is called on; null for a plain function. */
export function receiverOf(call: Call): Code | null {
  const callee = unwrap(call.callee)
  return callee.kind === 'member' && callee.style !== 'static' ? callee.object : null
}
