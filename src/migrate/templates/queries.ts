import { nothing, type Rewrite, type SiteFacts } from '../plan.ts'
import type { Source } from '../source.ts'
import { changeOf, dtoProperties, onlyStripe } from './api.ts'

/**
 * Finds the first query in a text that reads a changed field of a subscription:
 * `user.subscriptions.first.items.data.0.price.id`, `subscriptions { items { data } }`. Null without one.
 */
export function changedQuery(text: string): string | null {
  const [first] = changedQueries(text)
  return first === undefined ? null : text.slice(first.start, first.end)
}

/** Finds all of them. */
export function changedQueries(text: string): { start: number; end: number }[] {
  if (!/subscriptions/i.test(text)) return []
  return [
    ...[...text.matchAll(path)].filter(({ 1: steps }) => isChanged(steps!)),
    ...[...text.matchAll(selection)].filter(({ 0: whole, index }) =>
      selectsChanged(text, index + whole.length),
    ),
  ].map(({ 0: whole, index }) => ({ start: index, end: index + whole.length }))
}

/** Reports queries in a blueprint, a mail, a page or a file of data: `{{ user.subscriptions.first.plan.id }}`. */
export function searchQueries({ text }: Source, facts: SiteFacts): Rewrite {
  if (!/subscriptions|purchases/i.test(text)) return nothing
  const ofPurchases = new RegExp(
    `\\b(?:${facts.field}|yaml|toData|getUserData)\\b[^\\s"'{}]{0,80}\\bpurchases\\b`,
    'g',
  )
  const places = [
    ...changedQueries(text).map(({ start }) => start),
    ...[...text.matchAll(wholeList), ...text.matchAll(ofPurchases)].map(({ index }) => index),
  ]
  const findings = [...new Set(places)]
    .sort((a, b) => a - b)
    .map((at) => ({
      code: 'query',
      at,
      reason:
        'This asks for fields of a subscription, or for purchases, in a text that is not changed by this command. In version 2 some have other names or forms.',
      replacement: null,
    }))
  return { ...nothing, findings }
}

// A query of a blueprint: what is read of each stands elsewhere.
const wholeList = /^[ \t]*query:[ \t]*["']?[\w.]*\bsubscriptions\b(?:\(\))?["']?[ \t]*$/gm

// `subscriptions.first.status`, `subscriptions()[0].plan`
const path =
  /\bsubscriptions\b(?:\(\s{0,9}\))?((?:\s{0,9}(?:\?\.|\.|->)\s{0,9}[\w-]{1,40}(?:\([^()\n]{0,80}\))?|\[["']?\w{1,40}["']?\]){1,12})/gi
const selection = /\bsubscriptions\b\s{0,9}(?:\([^()]{0,200}\)\s{0,9})?\{/gi

function isChanged(steps: string): boolean {
  const keys = steps.replace(/\([^()]*\)/g, '').match(/[\w-]+/g) ?? []
  const below = keys.slice(keys.findIndex((key) => !ofLists.test(key)))
  if (keys.every((key) => ofLists.test(key))) return false
  const { kind, path: to } = changeOf(below)
  if (kind === 'same' && String(to) === String(below)) return false
  return !(dtoProperties.has(below[0]!) && kind === 'none')
}

const ofLists = /^(?:first|last|nth|\d+|count|length|size|isEmpty|isNotEmpty|values|limit|offset|at)$/

// The words between the braces of a GraphQL selection.
function selectsChanged(text: string, from: number): boolean {
  let depth = 1
  let at = from
  while (at < text.length && depth > 0 && at - from < 5000) {
    if (text[at] === '{') depth++
    if (text[at] === '}') depth--
    at++
  }
  return (text.slice(from, at).match(/\w+/g) ?? []).some(
    (word) => /^(?:data|price)$/.test(word) || onlyStripe.has(word) || isOtherwise(word),
  )
}

function isOtherwise(word: string): boolean {
  const { kind, path: to } = changeOf([word])
  return kind !== 'none' && kind !== 'part' && !(kind === 'same' && String(to) === word)
}
