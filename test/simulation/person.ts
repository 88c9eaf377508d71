import { createBrowser, tokenOf } from '../support/browser.ts'

type Browser = ReturnType<typeof createBrowser>

interface GivenPage {
  readonly browser: Browser
  /** Nobody was logged in: the site knew neither customer nor address. */
  readonly signedOut: boolean
  readonly at: number
}

/** Somebody in front of a browser or two. */
export interface Person {
  readonly name: string
  email: string
  browsers: Browser[]
  /** The browsers in which they are logged in as far as they know, and since when. */
  readonly inside: Map<Browser, number>
  /** What they did, for whoever looks for a fault. */
  readonly history: string[]
  /** The payment pages that they were given, by session id. */
  readonly sessions: Map<string, GivenPage>
  /** Asked to be forgotten. */
  gone: boolean
  /** Came again after that, as a stranger. */
  again: boolean
}

/** Their own card that behaves as that number does; who comes again under another name still has it. */
export function cardOf({ name }: Pick<Person, 'name'>, number = '4242424242424242'): string {
  return `${number}#${name.replace(/\..*| again/g, '').replaceAll(' ', '')}`
}

export function createPerson(name: string, email: string, site: string): Person {
  return {
    name,
    email,
    browsers: [createBrowser(site)],
    inside: new Map(),
    history: [],
    sessions: new Map(),
    gone: false,
    again: false,
  }
}

export interface Answer {
  readonly status: number
  readonly body: Record<string, unknown>
}

/** Sends a form as a page of the site would, and reads what programs are told. */
export async function send(
  browser: Browser,
  path: string,
  fields: Record<string, string> = {},
): Promise<Answer> {
  const token = await formToken(browser)
  const answer = await browser.request(path, {
    method: 'POST',
    headers: { accept: 'application/json' },
    body: new URLSearchParams({ token, ...fields }),
  })
  const text = await answer.text()
  return { status: answer.status, body: parsed(text) }
}

// A token is made for a browser and its session.
const tokens = new WeakMap<Browser, { readonly owner: string; readonly token: string }>()

/** What a page of the site has in its forms; the first one makes this browser known. */
export async function formToken(browser: Browser): Promise<string> {
  const owner = () => JSON.stringify([...browser.cookies])
  const known = tokens.get(browser)
  if (known?.owner === owner()) return known.token
  const token = tokenOf(await (await browser.request('/membership/login')).text())
  if (token) tokens.set(browser, { owner: owner(), token })
  return token
}

function parsed(text: string): Record<string, unknown> {
  try {
    return JSON.parse(text) as Record<string, unknown>
  } catch {
    return { text: text.slice(0, 200) }
  }
}
