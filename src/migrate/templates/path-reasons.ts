/** The reasons for leaving a path as it is, by code. */
export const reasons = {
  'time-is-text-now': (key: string) =>
    `${key} was a number of seconds. In version 2 it is a text like 2026-02-01T00:00:00.000Z, so what is done with it has to be looked at.`,
  'currency-is-upper-case': (key: string) =>
    `${key} was in lower case (eur). In version 2 it is in upper case (EUR), so what it is compared with has to be looked at.`,
  'no-dto-property': (key: string) =>
    `A subscription of version 2 has no property for ${key}. Ask the provider for it, or leave it out.`,
  'line-items': (key: string) =>
    `${key} was the provider’s own list of items. In version 2 the items are a plain list, and each has id, price_id, product_id and quantity.`,
  'dynamic-key': (_: string) =>
    'The field of the subscription is only known when the page is shown. In version 2 a subscription is an object, and some fields have other names.',
  'kept-part': (key: string) =>
    `${key} is read of a part of a subscription that was kept before. In version 2 an item has id, price_id, product_id and quantity, and no array below it.`,
  assigned: (key: string) =>
    `${key} is written here. A subscription of version 2 cannot be changed by a template.`,
  'unclear-source': (_: string) =>
    'This reads a field of a subscription, but is written in a way that was not changed by itself (a comment in between, or unusual brackets).',
  'unknown-value': (key: string) =>
    `${key} looks like a field of a subscription of version 1, but this file does not tell where the value comes from. If it is one, put this there. If it is something else, leave it as it is.`,
  'unknown-receiver': (key: string) =>
    `${key} is read from subscriptions() of something that is not clearly a member. If it is one, put this there. If it is not, leave it as it is.`,
  'mixed-value': (key: string) =>
    `${key} is read from a variable that holds a subscription at one time and something else at another. Where it is a subscription, put this there.`,
}

export type PathCode = keyof typeof reasons
