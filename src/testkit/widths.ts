/** Encodes a payload as it is sent; a string stays unchanged. */
export const toBody = (event: unknown): Buffer =>
  Buffer.from(typeof event === 'string' ? event : JSON.stringify(event))

/** Returns the event with every moment rewritten by `write`. */
export const rewritten = (event: unknown, write: (moment: Date) => string): unknown =>
  typeof event === 'string'
    ? event
    : JSON.parse(JSON.stringify(event), (_, value) =>
        typeof value === 'string' && isMoment.test(value) && !Number.isNaN(Date.parse(value))
          ? write(new Date(value))
          : value,
      )
const isMoment = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)$/

/** Form in which the others are compared. */
export const toWholeSeconds = (moment: Date): string => `${moment.toISOString().slice(0, 19)}.000Z`
/** Ways in which providers write the same second. */
export const widths: readonly ((moment: Date) => string)[] = [
  (moment) => `${moment.toISOString().slice(0, 19)}Z`,
  (moment) => `${moment.toISOString().slice(0, 19)}.0Z`,
  (moment) => `${moment.toISOString().slice(0, 19)}.000000000Z`,
  (moment) => `${moment.toISOString().slice(0, 19)}+00:00`,
  (moment) => `${new Date(moment.getTime() + 7_200_000).toISOString().slice(0, 19)}.000+02:00`,
]
