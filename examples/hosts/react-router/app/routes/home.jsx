import { membership } from 'membership'
import { Link, useLoaderData } from 'react-router'

export const loader = ({ request }) => ({
  token: membership().pages.formToken(request).token,
  isMember: membership().allows('pro'),
})

export default function Home() {
  const { token, isMember } = useLoaderData()
  return (
    <>
      <Link to="/archive" prefetch="intent">
        The archive
      </Link>
      <form method="post" action={isMember ? '/cancel' : '/buy'}>
        <input type="hidden" name="token" value={token} />
        <button type="submit">{isMember ? 'Cancel' : 'Join'}</button>
      </form>
    </>
  )
}
