import type { InitAnswers } from './answers.ts'

/** Returns the code that opens the instance, with the options that a configuration file cannot express. */
export const openingOf = ({ mails }: Pick<InitAnswers, 'mails'>): { imports: string; call: string } => {
  if (mails === 'none') return { imports: 'createMembership', call: 'createMembership()' }
  if (mails === 'smtp')
    return {
      imports: 'createMembership, smtp',
      call: [
        'createMembership({',
        "  mails: { transport: smtp({ url: process.env.SMTP_URL ?? '', from: process.env.MAIL_FROM ?? '' }) },",
        '})',
      ].join('\n'),
    }
  return {
    imports: 'createMembership',
    call: [
      'createMembership({',
      '  // Login links and receipts, to be read here until a mail server sends them.',
      '  mails: {',
      // biome-ignore lint/suspicious/noTemplateCurlyInString: it is the code of the site
      '    transport: async ({ to, subject, text }) => console.log(`To ${to}: ${subject}\\n\\n${text}`),',
      '  },',
      '})',
    ].join('\n'),
  }
}
