import { errorStatus } from '../src/core/errors.ts'
import { errorIn } from '../src/core/words/errors.ts'
import { plainVoice } from '../src/core/words/index.ts'

/** The title that people read for a code, or null for one that is worded by its status alone. */
function titleOf(code: string, status: number): string | null {
  const ways = { again: '/', account: '/' }
  const titled = (name: string) => errorIn(plainVoice(), { code: name, status }, ways).title
  return titled(code) === titled('ERR_OTHER') ? null : titled(code)
}

/** Puts the title of an error's page below the heading of its code, where a reader who saw it finds it. */
export function withErrorTitles(page: string): string {
  return Object.entries(errorStatus).reduce((text, [code, status]) => {
    const title = titleOf(code, status)
    const heading = title === null ? '' : `### “${title}”\n\n`
    return text.replace(
      new RegExp(`^(## ${code}\\n\\n)(?:### “.*”\\n\\n)?`, 'm'),
      (_, open: string) => `${open}${heading}`,
    )
  }, page)
}
