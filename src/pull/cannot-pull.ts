/** Why a pull could not be carried out, in one sentence that says what to do. */
export class CannotPull extends Error {
  override readonly name = 'CannotPull'
}
