/** A plan or a feature that an editor may choose for a document. */
export interface GateChoice {
  readonly label: string
  readonly value: string
}

/** Returns the plans and features among options, each once, with their titles. */
export function gateChoicesIn({ membership = {}, gates = [] }: GateOptions): GateChoice[] {
  const nested = (nestedKeys(membership as Record<string, unknown>).membership ?? {}) as Tree
  const providers = Object.values((nested.providers ?? {}) as Record<string, Tree>)
  const plans = [nested, ...providers].flatMap(({ plans: found }) =>
    Object.entries((found ?? {}) as Record<string, Tree>),
  )
  const named = plans.map(([value, { name }]) => ({ value, label: typeof name === 'string' ? name : value }))
  const features = plans.flatMap(([, plan]) => (Array.isArray(plan.opens) ? plan.opens : []))
  const unnamed = [...features, ...gates].map((value) => ({ value: String(value), label: String(value) }))
  return [...new Map([...named, ...unnamed].map((choice) => [choice.value, choice])).values()]
}

interface GateOptions {
  readonly membership?: object
  readonly gates?: readonly string[]
}

type Tree = Readonly<Record<string, unknown>>

/** Turns `membership.plans.pro.name` into nested groups. */
function nestedKeys(options: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const result: Record<string, unknown> = {}
  for (const [key, value] of Object.entries(options)) {
    const names = key.split('.')
    let group = result
    for (const name of names.slice(0, -1)) {
      group[name] = { ...(group[name] as object | undefined) }
      group = group[name] as Record<string, unknown>
    }
    const last = names.at(-1)!
    const known = group[last]
    group[last] = isGroup(known) && isGroup(value) ? { ...known, ...value } : value
  }
  return result
}

/** True for a plain group of keys. */
export function isGroup(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
