import { oneLine } from '../../core/dto/index.ts'
import { plainVoice, type Voice } from '../../core/words/index.ts'
import { type Field, labelIn } from './fields.ts'

const words = {
  needed: 'field.needed',
  text: 'field.text',
  one_line: 'field.one_line',
  plain: 'field.plain',
  too_long: 'field.too_long',
  shorter: 'field.shorter',
  longer: 'field.longer',
  number: 'field.number',
  less: 'field.less',
  more: 'field.more',
  switch: 'field.switch',
  date: 'field.date',
  date_range: 'field.date_range',
  option: 'field.option',
  list: 'field.list',
  few: 'field.few',
  many: 'field.many',
  no_email: 'field.no_email',
  no_telephone: 'field.no_telephone',
  no_web_address: 'field.no_web_address',
  closed: 'field.closed',
  unusable: 'field.unusable',
} as const

/** Why what was sent for a field was not taken; it names its words. */
export type Reason = keyof typeof words

/** Why, as a schema says it: one text, which `readReason` takes apart again. */
export const reason = (of: Reason, count?: number): string => (count === undefined ? of : `${of} ${count}`)

/** Why a field was not taken, for whoever sent it. */
export interface FieldReason {
  readonly reason: Reason
  /** The bound that was meant, where there is one. */
  readonly count?: number
}

/** Reads the reason out of a schema's message; `unusable` where it holds none of ours. */
export const readReason = (message: string | undefined): FieldReason => {
  const [of = '', count] = (message ?? '').split(' ')
  if (!Object.hasOwn(words, of)) return { reason: 'unusable' }
  return count === undefined ? { reason: of as Reason } : { reason: of as Reason, count: Number(count) }
}

/** The same with what its form calls the field. */
export type FieldProblem = FieldReason & Pick<Field, 'label' | 'labels'>

/** Why, in words; in English unless a voice says it. */
export const reasonIn = ({ reason: of, count }: FieldReason, voice: Voice = plainVoice()): string =>
  voice.say(words[of], { count: count ?? 0 } as never)

/** The fields of a problem that were not taken, as its reader's page calls them, and why. */
export const fieldProblemsIn = (
  voice: Voice,
  problem: Readonly<Record<string, unknown>>,
): { label: string; text: string }[] =>
  Object.entries((problem.reasons ?? {}) as Record<string, FieldProblem>).map(([name, why]) => ({
    label: oneLine(labelIn(voice, why) || name),
    text: reasonIn(why, voice),
  }))
