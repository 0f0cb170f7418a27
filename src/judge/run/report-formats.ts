/** The forms that a report has, over HTTP and from the command. */
export const reportFormats = ['markdown', 'junit', 'json', 'html', 'text', 'github'] as const
export type ReportFormat = (typeof reportFormats)[number]
