/** A browser without a screen: cookies, forms and redirects over real HTTP. */
export function createBrowser(site: string) {
  const cookies = new Map<string, string>()
  let html = ''

  const request = async (path: string, init: RequestInit = {}): Promise<Response> => {
    const answer = await fetch(new URL(path, site), {
      redirect: 'manual',
      ...init,
      headers: {
        accept: 'text/html',
        cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join('; '),
        ...(init.headers as Record<string, string> | undefined),
      },
    })
    for (const line of answer.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? []
      if (value === '') cookies.delete(name)
      else cookies.set(name, value)
    }
    return answer
  }

  const follow = async (answer: Response): Promise<{ status: number; path: string; html: string }> => {
    let current = answer
    for (let hops = 0; hops < 5 && [301, 302, 303].includes(current.status); hops++)
      current = await request(current.headers.get('location') ?? '/')
    html = await current.text()
    return { status: current.status, path: new URL(current.url).pathname, html }
  }

  const submit = async (path: string, fields: Record<string, string>) =>
    follow(
      await request(path, {
        method: 'POST',
        body: new URLSearchParams({ token: tokenOf(html), ...fields }),
      }),
    )

  return {
    request,
    cookies,
    open: async (path: string) => follow(await request(path)),
    /** Sends a form with the page's token, and follows where it leads. */
    submit,
    /** Sends a purchase, and gives the consent that the order page asks for. */
    order: async (path: string, fields: Record<string, string>) => {
      const page = await submit(path, fields)
      return page.path.endsWith('/membership/order') ? submit(...orderForm(page.html)) : page
    },
    post: (path: string, fields: Record<string, string>) =>
      request(path, { method: 'POST', body: new URLSearchParams({ token: tokenOf(html), ...fields }) }),
  }
}

/** The form of an order page: its address, and every field with the box ticked. */
export function orderForm(html: string): [path: string, fields: Record<string, string>] {
  const [, path = '', inside = ''] =
    /<form class="confirm" method="post" action="([^"]+)">([\s\S]*?)<\/form>/.exec(html) ?? []
  const fields = [...inside.matchAll(/<input[^>]* name="([^"]+)" value="([^"]*)"/g)]
  return [path, Object.fromEntries(fields.map(([, name = '', value = '']) => [name, value]))]
}

export function tokenOf(html: string): string {
  return /name="token" value="([^"]*)"/.exec(html)?.[1] ?? ''
}

/** Asks again until `done`, for things that the other side does in its own time. */
export async function until<T>(
  ask: () => Promise<T>,
  done: (value: T) => boolean,
  milliseconds = 60_000,
): Promise<T> {
  const end = Date.now() + milliseconds
  for (;;) {
    const value = await ask()
    if (done(value) || Date.now() > end) return value
    await new Promise((next) => setTimeout(next, 400))
  }
}
