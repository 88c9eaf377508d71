import * as clack from '@clack/prompts'
import type { InitAnswers } from '../site/init/index.ts'

/** Choices of the questions. */
interface Choices {
  readonly hosts: readonly string[]
  readonly databases: readonly string[]
  readonly providers: readonly string[]
  readonly mails: readonly string[]
  readonly systems: readonly string[]
}

/** The prompts; tests replace them. */
export type Prompts = Pick<typeof clack, 'select' | 'confirm' | 'isCancel'>

/** Asks at most five questions, for everything that no flag sets; null if the user stops. */
export async function askForSite(
  given: Partial<InitAnswers>,
  standard: InitAnswers,
  { hosts, databases, providers, mails, systems }: Choices,
  prompts: Prompts = clack,
): Promise<InitAnswers | null> {
  const questions: [keyof InitAnswers, string, readonly (string | null)[]][] = [
    ['host', 'What answers requests?', hosts],
    ['database', 'Where are memberships kept?', databases],
    ['provider', 'Who takes the money? (sandbox: nobody, for trying out)', providers],
    ['mails', 'How do mails leave?', mails],
    ['index', 'Does it list websites of a system, for partners?', [null, ...systems]],
  ]
  const answers: Record<string, string | null> = { ...standard, ...given }
  for (const [name, message, values] of questions) {
    if (name in given) continue
    const answer = await prompts.select<string | null>({
      message,
      initialValue: answers[name],
      options: values.map((value) => ({ value, label: value ?? 'no' })) as never,
    })
    if (prompts.isCancel(answer)) return null
    answers[name] = answer
  }
  return answers as unknown as InitAnswers
}

/** Asks if the files shown should be written. */
export async function askToWrite(files: number, folder: string, prompts: Prompts = clack): Promise<boolean> {
  const answer = await prompts.confirm({
    message: `Write ${files === 1 ? 'this file' : `these ${files} files`} to ${folder}?`,
  })
  return answer === true
}
