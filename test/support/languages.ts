/** The languages of the package's own texts. A new one has files for pages, the office, partners and mails. */
export const packageLanguages = ['de', 'en']

/** The names of its language files. */
export const languageFiles = packageLanguages.map((language) => `${language}.yml`)
