/** Goes on with a value at once, or when it is there: a promise that is not needed costs a good part of a small step. */
export const andThen = <A, B>(value: A | Promise<A>, next: (value: A) => B | Promise<B>): B | Promise<B> =>
  value instanceof Promise ? value.then(next) : next(value)
