import { invalid } from './errors.ts'
import { render } from './render.ts'
import { sessionLines } from './sessions.ts'
import type { AnyObject } from './types.ts'
import type { World } from './world.ts'

type Json = Record<string, unknown>

/** An object as the API answers it: in that version, with what was asked for in place of ids.
 *  @throws 400 for what cannot be expanded. https://docs.stripe.com/api/expanding_objects */
export const answer = (world: World, object: AnyObject, version: string, paths: readonly string[]): Json => {
  const shown = render(world, object, version)
  for (const path of paths) {
    const parts = path.split('.')
    if (parts.length > 4) throw invalid('You cannot expand more than 4 levels of a property.', 'expand')
    expandAt(world, shown, parts, { version, path })
  }
  return shown
}

const expandAt = (
  world: World,
  holder: Json,
  [key = '', ...rest]: string[],
  on: { version: string; path: string },
): void => {
  const expanded = valueAt(world, holder, key, on)
  holder[key] = expanded
  if (rest.length === 0) return
  if (Array.isArray(expanded)) {
    for (const one of expanded) if (isJson(one)) expandAt(world, one, rest, on)
  } else if (isJson(expanded)) expandAt(world, expanded, rest, on)
}

const valueAt = (
  world: World,
  holder: Json,
  key: string,
  { version, path }: { version: string; path: string },
): unknown => {
  const include = includable[`${String(holder.object)}.${key}`]
  if (include !== undefined)
    return copy(
      include(world, String(holder.id)).map((one) =>
        'object' in one && typeof one.object === 'string' && one.object !== 'item'
          ? render(world, one as AnyObject, version)
          : { ...one },
      ),
      holder,
      key,
    )
  const value = holder[key]
  if (Array.isArray(value)) return value.map((one) => expandOne(world, one, version) ?? one)
  if (value === null || isJson(value)) return isJson(value) ? { ...value } : null
  const found = expandOne(world, value, version)
  if (found === undefined) throw invalid(`This property cannot be expanded (${path}).`, 'expand')
  return found
}

const expandOne = (world: World, value: unknown, version: string): Json | undefined => {
  if (isJson(value)) return { ...value }
  const object = typeof value === 'string' ? world.store.findAny(value) : undefined
  return object && render(world, object, version)
}

const copy = (data: readonly Json[], holder: Json, key: string): unknown =>
  key === 'currency_options'
    ? data[0]
    : {
        object: 'list',
        data,
        has_more: false,
        url: `/v1/${String(holder.object)}s/${String(holder.id)}/${key}`,
      }

/** Properties that are there only when they are asked for. */
const includable: Record<string, (world: World, id: string) => readonly Json[]> = {
  'checkout.session.line_items': (world, id) => sessionLines(world, world.store.get('checkout.session', id)),
  'invoice.payments': (world, id) => world.store.list('invoice_payment').filter((one) => one.invoice === id),
  'charge.refunds': (world, id) => world.store.list('refund').filter((one) => one.charge === id),
  'customer.subscriptions': (world, id) =>
    world.store.list('subscription').filter((one) => one.customer === id && one.status !== 'canceled'),
  'price.currency_options': (world, id) => [world.store.get('price', id).currency_options],
}

const isJson = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
