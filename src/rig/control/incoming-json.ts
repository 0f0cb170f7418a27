import { bodyOf, parseJson } from '../../service/input.ts'

/** 1 MiB. A call that takes whole spaces states its own. */
export const usualBody = 1 << 20
/** 32 MiB: a whole space. A larger one is a file for `--fixtures`. */
export const largeBody = 32 << 20

/**
 * The JSON object in a control call's body; one without a body counts as `{}`.
 * @param longest bytes
 * @throws Problem 413 over the limit, 400 for what is no JSON object
 */
export async function incomingJson(request: Request, longest = usualBody): Promise<object> {
  const bytes = await bodyOf(request, longest)
  return bytes.length === 0 ? {} : parseJson(bytes)
}
