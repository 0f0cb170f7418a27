/**
 * The title of a test that some machines cannot run, with the reason where this one cannot.
 * @param lacking what is missing then, such as `there is no curl here`; undefined where nothing is
 */
export const titleOr = (title: string, lacking: string | undefined): string =>
  lacking === undefined ? title : `${title} (not run: ${lacking})`
