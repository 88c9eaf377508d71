import { createElement, type ReactElement, type ReactNode } from 'react'
import type { Visitor, VisitorCard, VisitorPlan, VisitorPrice } from '../site/pages/index.ts'

/** Attributes that a component passes on to its outermost element. */
export interface PartProps {
  readonly className?: string
  readonly id?: string
}

/** The price list: plans with their prices, and a link to the page on which each is bought. Unstyled. */
export function priceTable(visitor: Visitor, { plans, ...props }: PriceTableProps): ReactElement {
  const shown = visitor.plans.filter(({ id }) => plans === undefined || plans.includes(id))
  return createElement(
    'div',
    { ...props, lang: visitor.language, 'data-membership': 'prices' },
    shown.map((plan) => planSection(visitor, plan)),
  )
}

/** Props of the price list. */
export interface PriceTableProps extends PartProps {
  /** Plans to show, by id; all plans by default. */
  readonly plans?: readonly string[]
}

function planSection(visitor: Visitor, plan: VisitorPlan): ReactElement {
  return createElement(
    'section',
    {
      key: plan.id,
      // A page may have two price lists, and an id only once.
      'aria-label': plan.name,
      'data-plan': plan.id,
      'data-recommended': plan.recommended || null,
    },
    createElement('h2', null, plan.name),
    plan.description === null ? null : createElement('p', null, plan.description),
    plan.lines.length === 0
      ? null
      : createElement(
          'ul',
          null,
          plan.lines.map((line) => createElement('li', { key: line }, line)),
        ),
    createElement(
      'ul',
      null,
      plan.prices.map((price) => priceItem(visitor, { plan, price })),
    ),
  )
}

function priceItem(
  visitor: Visitor,
  { plan, price }: { readonly plan: VisitorPlan; readonly price: VisitorPrice },
): ReactElement {
  const { action } = price
  return createElement(
    'li',
    { key: price.id, 'data-price': price.id, 'data-owned': price.owned || null },
    createElement('p', null, price.label, price.owned ? ` (${visitor.words.yours})` : null),
    createElement(
      'p',
      null,
      price.was === null || price.owned ? null : createElement('s', null, price.was),
      price.was === null || price.owned ? null : ' ',
      createElement('b', null, price.amount),
      price.per === '' ? null : ` ${price.per}`,
    ),
    price.notes.map((note) => createElement('p', { key: note }, note)),
    action === null
      ? createElement('a', { href: visitor.pages.account }, visitor.words.account)
      : // Several links with the same words would sound alike.
        createElement(
          'a',
          { href: action.url, 'aria-label': `${action.label}: ${plan.name}, ${price.label}` },
          action.label,
        ),
  )
}

/** Renders the memberships of the member, with the actions that only show a page; a visitor gets the login. Unstyled. */
export function accountCard(visitor: Visitor, props: PartProps): ReactElement {
  const { member, words, pages } = visitor
  const frame = (...children: ReactNode[]) =>
    createElement('section', { ...props, lang: visitor.language, 'aria-label': words.account }, ...children)
  if (member === null) return frame(createElement('a', { href: pages.login }, words.login))
  return frame(
    createElement('p', null, member.name ?? member.email),
    visitor.cards.length === 0
      ? createElement('p', null, createElement('a', { href: pages.prices }, words.prices))
      : createElement(
          'ul',
          null,
          visitor.cards.filter(({ state }) => state !== 'over').map((card) => cardItem(card)),
        ),
    createElement('p', null, createElement('a', { href: pages.account }, words.account)),
  )
}

function cardItem({ id, title, price, sentence, url, state, actions }: VisitorCard): ReactElement {
  return createElement(
    'li',
    { key: id, 'data-state': state },
    createElement('p', null, url === null ? title : createElement('a', { href: url }, title)),
    price === null ? null : createElement('p', null, price),
    createElement('p', null, sentence),
    // The others are posted, and stand on the account page.
    actions
      .filter(({ method }) => method === 'get')
      .map((action) =>
        createElement(
          'a',
          {
            key: `${action.url} ${action.label}`,
            href: `${action.url}?${new URLSearchParams(action.fields)}`,
            'aria-label': `${action.label}: ${title}`,
          },
          action.label,
        ),
      ),
  )
}
