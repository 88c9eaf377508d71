import { host } from '../lib/membership.js'
import { cancel, subscribe } from './actions.js'

export default async function Home() {
  const isMember = (await host.view()).allows('pro')
  return isMember ? (
    <form action={cancel}>
      <button type="submit">Cancel</button>
    </form>
  ) : (
    <form action={subscribe}>
      <input type="hidden" name="redirect" value="/archive" />
      <button type="submit" name="price" value="price_pro">
        Join
      </button>
    </form>
  )
}
