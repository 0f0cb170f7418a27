/** An error that the user can fix. The message says what is wrong and what to do; the program ends with exit code 2. */
export class UserError extends Error {}
