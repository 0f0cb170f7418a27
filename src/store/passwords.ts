import type { Fixture } from './rows.ts'

type User = Fixture['users'][number]

/** Passwords that stand in our documentation. Any other may be somebody's own, and is not shown. */
const documented: ReadonlySet<string> = new Set(['demo'])

/** Stands where a password has been left out. */
const leftOut = '(hidden)'

/** Undefined where it is not one that our documentation gives away anyway. */
export const shownPassword = (password: string): string | undefined =>
  documented.has(password) ? password : undefined

/** Users for whoever reads: a file that goes from hand to hand must not carry passwords along. */
export const withoutPasswords = (users: readonly User[]): User[] =>
  users.map(user => ({ ...user, password: shownPassword(user.password) ?? leftOut }))

/** Users as they were: those whose passwords were left out have the ones that they have here. */
export const withPasswords = (users: readonly User[], here: readonly User[]): User[] =>
  users.map(user =>
    user.password === leftOut ? (here.find(({ name }) => name === user.name) ?? user) : user,
  )

/** What is wrong where a password is still left out: its user could never get in. */
export function missingPassword({ users }: Pick<Fixture, 'users'>): string | undefined {
  const user = users.find(({ password }) => password === leftOut)
  return (
    user &&
    `the password of user "${user.name}" was left out when the snapshot was taken; write it in the place of ${leftOut}`
  )
}
