import { accessorOf, type SiteFacts } from '../plan.ts'
import { isIndex } from './api.ts'
import {
  type Call,
  type Code,
  calledName,
  type Key,
  type Member,
  type Name,
  receiverOf,
  unwrap,
} from './code.ts'
import {
  elementOf,
  isDecoder,
  isNothing,
  isUserName,
  type Kind,
  listOf,
  namesProvider,
  together,
} from './kinds.ts'
import { listCall, listForParam } from './lists.ts'
import { type Binding, loopOf, type Scopes, type Write } from './scopes.ts'

export interface Values {
  kindOf(code: Code): Kind
  /** Returns true for the current member, or the provider as that member sees it. */
  isCurrent(code: Code): boolean
}

/**
 * Determines the kinds of a file's values from the file alone. Every write to a variable counts, in any
 * order.
 */
export function readValues(scopes: Scopes, facts: SiteFacts): Values {
  const known = new Map<Code | Binding, Kind>()
  /** Kinds of the question that is being answered: those of this round, and those of the round before. */
  let found = new Map<Code | Binding, Kind>()
  let before: ReadonlyMap<Code | Binding, Kind> = new Map()
  const open = new Set<Code | Binding>()
  const inCircles = new Set<Code | Binding>()

  const remember = (key: Code | Binding, find: () => Kind): Kind => {
    const kind = known.get(key) ?? found.get(key)
    if (kind) return kind
    // A value that depends on itself is what the round before found, at first nothing.
    if (open.has(key)) {
      inCircles.add(key)
      return before.get(key) ?? 'nothing'
    }
    if (open.size > 0) return answer(key, find)
    return inRounds(key, find)
  }

  const answer = (key: Code | Binding, find: () => Kind): Kind => {
    open.add(key)
    const kind = find()
    open.delete(key)
    found.set(key, kind)
    return kind
  }

  // Each round answers each question once, so values that depend on each other take linear time.
  const inRounds = (key: Code | Binding, find: () => Kind): Kind => {
    before = new Map()
    for (let round = 1; ; round++) {
      found = new Map()
      inCircles.clear()
      const kind = answer(key, find)
      const isStable = [...inCircles].every((each) => (before.get(each) ?? 'nothing') === found.get(each))
      if (isStable || round === mostRounds) {
        for (const [each, of] of found) known.set(each, isStable ? of : 'opaque')
        found = new Map()
        return isStable ? kind : 'opaque'
      }
      before = found
    }
  }

  const kindOf = (code: Code): Kind => remember(code, () => read(code))

  const read = (code: Code): Kind => {
    switch (code.kind) {
      case 'name':
        return ofName(code)
      case 'word':
        return namesProvider(code.name, facts) ? 'sdk' : isNothing(code.name) ? 'nothing' : 'foreign'
      case 'literal':
        return code.value === null || code.value === false || code.value === '' ? 'nothing' : 'foreign'
      case 'member':
        return ofMember(code)
      case 'call':
        return ofCall(code)
      case 'assign':
        return kindOf(code.value)
      case 'wrap':
        return kindOf(code.inner)
      case 'binary':
        return ofBinary(code.operator, code.left, code.right)
      case 'choice':
        return together([kindOf(code.yes ?? code.test), kindOf(code.no)])
      case 'other':
        return code.what === 'list' ? ofList(code.children) : 'opaque'
      case 'function':
        return 'foreign'
      default:
        return 'opaque'
    }
  }

  const ofName = (name: Name): Kind => {
    if (name.name === 'undefined') return 'nothing'
    const loop = loopOf(name, scopes)
    const kind = loop ? elementOf(kindOf(loop.list)) : ofBinding(scopes.bindingOf(name))
    if (kind !== 'unknown' && kind !== 'opaque') return kind
    if (isUserName(name.name)) return 'user'
    return namesProvider(name.name, facts) ? 'sdk' : kind
  }

  const ofBinding = (binding: Binding): Kind =>
    remember(binding, () => {
      const kinds = binding.writes.filter(({ kind }) => kind !== 'put').map(ofWrite)
      const kind = kinds.length === 0 ? 'unknown' : together(kinds)
      // A subscription stays one whatever is added to it; an empty list becomes a list of what is added.
      const puts = binding.writes.filter(({ kind }) => kind === 'put')
      if (puts.length === 0 || (kind !== 'nothing' && kind !== 'subscriptions')) return kind
      return together([kind, ...puts.map(ofWrite)])
    })

  const ofWrite = (write: Write): Kind => {
    switch (write.kind) {
      case 'value':
        return kindOf(write.value)
      case 'element':
        return elementOf(kindOf(write.list))
      case 'put': {
        const kind = write.value ? kindOf(write.value) : 'opaque'
        return kind === 'subscription' ? 'subscriptions' : kind === 'nothing' ? 'nothing' : 'foreign'
      }
      case 'param': {
        const call = scopes.parentOf(write.of)
        const list = call?.kind === 'call' ? listForParam(call, write.of, write.index) : null
        return list ? elementOf(kindOf(list)) : 'unknown'
      }
      case 'other':
        return 'opaque'
      default:
        throw new TypeError(`unhandled ${write satisfies never}`)
    }
  }

  const ofMember = (member: Member): Kind => {
    const { key, object, style } = member
    const on = kindOf(object)
    if (on === 'sdk') return 'sdk'
    if (key === 'object' && isMember(object, 'data')) return 'sdk'
    const isCallee = isCalled(member)
    if (on === 'user' || on === 'content') {
      if (key === 'content') return 'content'
      return key === facts.field ? 'data' : 'unknown'
    }
    if (on === 'subscriptions' || on === 'strangers')
      return style !== 'static' && (typeof key !== 'string' || /^\d+$/.test(key)) ? elementOf(on) : 'unknown'
    if (on === 'part') return 'part'
    if (on === 'payments') return isIndex(key) || key === null ? 'payment' : 'opaque'
    if (on === 'payment') return 'opaque'
    if (on === 'data' && isPurchases(key) && !isCallee) return 'payments'
    if (on === 'subscription') return key === 'items' || key === 'plan' ? 'part' : 'foreign'
    if (!isCallee && typeof key === 'string') {
      if (isUserName(key)) return 'user'
      if (namesProvider(key, facts)) return 'sdk'
    }
    return on === 'foreign' || on === 'opaque' || on === 'mixed' || on === 'stranger' ? on : 'unknown'
  }

  const ofCall = (call: Call): Kind => {
    const name = calledName(call)
    const receiver = receiverOf(call)
    if (name === null) return kindOf(call.callee) === 'sdk' ? 'sdk' : 'opaque'
    if (call.isNew) return namesProvider(name, facts) ? 'sdk' : 'foreign'
    if (name === accessorOf(facts)) return 'accessor'
    if (name === 'subscriptionForPrice') return 'subscription'
    const on = receiver ? kindOf(receiver) : null
    if (name === 'subscriptions') return ofSubscriptions(call, on)
    if (on === 'sdk' || ownerIsSdk(call)) return 'sdk'
    if (isPurchases(name) && isOfMember(on ?? kindOf(call.args[0] ?? call.callee))) return 'payments'
    const named = ofNamed(call, on)
    if (named) return named
    const list = listCall(call)
    if (list) {
      const kind = kindOf(list.list)
      if (kind === 'subscriptions' || kind === 'strangers' || kind === 'payments' || kind === 'nothing')
        return list.gives === 'list' ? kind : elementOf(kind)
      if (kind === 'users' && list.gives === 'element') return 'user'
    }
    if (name === 'getUserData') return 'data'
    if (name === 'users') return 'users'
    if (isDecoder(name)) return call.args.some((arg) => kindOf(arg) === 'data') ? 'data' : 'foreign'
    if (on === 'accessor' && name === 'provider') return 'provider'
    if (on === 'data') return 'data'
    if (on === 'user' || on === 'content') return ofContent(name, call)
    if (isUserName(name)) return 'user'
    return on === 'accessor' || on === 'provider' ? 'unknown' : on === 'foreign' ? 'foreign' : 'opaque'
  }

  const ofSubscriptions = (call: Call, on: Kind | null): Kind => {
    if (on === null) return call.args[0] && kindOf(call.args[0]) === 'user' ? 'subscriptions' : 'strangers'
    if (on === 'user' || on === 'provider') return 'subscriptions'
    return on === 'sdk' ? 'sdk' : 'strangers'
  }

  /** Recognises purchases named by a text: `A::get($data, 'purchases')`, `get(user, 'stripe.purchases')`. */
  const ofNamed = (call: Call, on: Kind | null): Kind | null => {
    if (/exists$|^(?:has|isset)$/i.test(calledName(call) ?? '')) return null
    const field = `${facts.field}.`
    for (const arg of call.args) {
      if (arg.kind !== 'literal' || typeof arg.value !== 'string') continue
      const isPath = arg.value.startsWith(field)
      const [key, ...deeper] = (isPath ? arg.value.slice(field.length) : arg.value).split('.')
      if (!isPurchases(key!)) continue
      const kinds = [on, ...call.args.filter((other) => other !== arg).map(kindOf)]
      const isTheirs = isPath ? kinds.includes('user') || kinds.includes('content') : kinds.includes('data')
      if (isTheirs) return deeper.length === 0 ? 'payments' : 'payment'
    }
    return null
  }

  const ofContent = (name: string, call: Call): Kind => {
    const [first] = call.args
    const field = first?.kind === 'literal' ? first.value : null
    if (name === 'content') return field === facts.field ? 'data' : first ? 'unknown' : 'content'
    if (name === 'toArray') return 'content'
    if (name === 'get') return field === facts.field ? 'data' : 'unknown'
    // PHP compares methods without regard to case.
    return name.toLowerCase() === facts.field.toLowerCase() ? 'data' : 'unknown'
  }

  const ofBinary = (operator: string, left: Code, right: Code): Kind => {
    if (operator === '??' || operator === '||') return together([kindOf(left), kindOf(right)])
    return operator === '&&' ? kindOf(right) : 'foreign'
  }

  const ofList = (children: readonly Code[]): Kind => {
    const kinds = children.map((child): Kind => {
      if (child.kind !== 'other') return listOf(kindOf(child))
      if (child.children.length !== 1) return 'foreign'
      const kind = kindOf(child.children[0]!)
      return child.what === 'spread' ? kind : listOf(kind)
    })
    return together(kinds.length === 0 ? ['nothing'] : kinds)
  }

  const ownerIsSdk = (call: Call): boolean => {
    const callee = unwrap(call.callee)
    return callee.kind === 'member' ? kindOf(callee.object) === 'sdk' : kindOf(callee) === 'sdk'
  }

  const isCalled = (member: Member): boolean => {
    const parent = scopes.parentOf(member)
    return parent?.kind === 'call' && parent.callee === member
  }

  const isCurrent = (code: Code): boolean => {
    const inner = unwrap(code)
    if (inner.kind === 'name') {
      const { writes } = scopes.bindingOf(inner)
      const [only] = writes
      return writes.length === 1 && only?.kind === 'value' && isCurrent(only.value)
    }
    if (inner.kind !== 'call' || inner.args.length > 0) return false
    const receiver = receiverOf(inner)
    if (receiver === null) return false
    const name = calledName(inner)
    if (name === 'provider') return kindOf(receiver) === 'accessor'
    return name === 'user' && (kindOf(receiver) === 'accessor' || isSite(receiver))
  }

  return { kindOf, isCurrent }
}

// A kind becomes less certain with each round, and there are few of them.
const mostRounds = 12

/** Returns true for both names of the list, in version 1 and in version 2. */
export function isPurchases(name: Key | null): boolean {
  return name === 'purchases' || name === 'payments'
}

function isOfMember(kind: Kind): boolean {
  return kind === 'user' || kind === 'provider' || kind === 'data'
}

/** Returns true for `$kirby` and `kirby()`, which know the current user. */
function isSite(code: Code): boolean {
  const inner = unwrap(code)
  if (inner.kind === 'name') return inner.name === 'kirby'
  return inner.kind === 'call' && inner.args.length === 0 && calledName(inner) === 'kirby'
}

function isMember(code: Code, key: string): boolean {
  const inner = unwrap(code)
  return inner.kind === 'member' && inner.key === key
}
