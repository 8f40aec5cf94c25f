/** The PDFium interface: its functions, and the texts that it writes into its memory. */

/** The functions of PDFium that we call, with the signatures of its C headers. The package declares only some of them. */
export interface Pdfium {
  HEAPU8: Uint8Array<ArrayBuffer>
  wasmExports: { malloc(size: number): number; free(at: number): void }
  _FPDF_InitLibrary(): void
  _FPDF_LoadMemDocument(at: number, size: number, password: number): number
  _FPDF_CloseDocument(document: number): void
  _FPDF_GetLastError(): number
  _FPDF_GetPageCount(document: number): number
  _FPDF_GetMetaText(document: number, tag: number, to: number, size: number): number
  _FPDF_LoadPage(document: number, index: number): number
  _FPDF_ClosePage(page: number): void
  _FPDFPage_CountObjects(page: number): number
  _FPDFPage_GetObject(page: number, index: number): number
  _FPDFPageObj_GetType(object: number): number
  _FPDFPageObj_GetFillColor(object: number, red: number, green: number, blue: number, alpha: number): number
  _FPDFPath_GetDrawMode(path: number, fill: number, stroke: number): number
  _FPDFPageObj_HasTransparency(object: number): number
  _FPDFPageObj_GetBounds(object: number, left: number, bottom: number, right: number, top: number): number
  _FPDFPageObj_GetClipPath(object: number): number
  _FPDFClipPath_CountPaths(clip: number): number
  _FPDFClipPath_CountPathSegments(clip: number, path: number): number
  _FPDFClipPath_GetPathSegment(clip: number, path: number, index: number): number
  _FPDFPathSegment_GetPoint(segment: number, x: number, y: number): number
  _FPDFText_LoadPage(page: number): number
  _FPDFText_ClosePage(textPage: number): void
  _FPDFText_CountChars(textPage: number): number
  _FPDFText_GetUnicode(textPage: number, index: number): number
  _FPDFText_IsHyphen(textPage: number, index: number): number
  _FPDFText_IsGenerated(textPage: number, index: number): number
  _FPDFText_GetTextObject(textPage: number, index: number): number
  _FPDFText_GetLooseCharBox(textPage: number, index: number, to: number): number
  _FPDFText_GetCharOrigin(textPage: number, index: number, x: number, y: number): number
  _FPDFText_GetCharAngle(textPage: number, index: number): number
  _FPDFText_GetFillColor(
    textPage: number,
    index: number,
    red: number,
    green: number,
    blue: number,
    alpha: number,
  ): number
  _FPDFTextObj_GetTextRenderMode(object: number): number
  _FPDF_GetPageWidthF(page: number): number
  _FPDF_GetPageHeightF(page: number): number
  _FPDF_PageToDevice(
    page: number,
    startX: number,
    startY: number,
    width: number,
    height: number,
    rotate: number,
    x: number,
    y: number,
    toX: number,
    toY: number,
  ): number
  _FPDFBitmap_Create(width: number, height: number, alpha: number): number
  _FPDFBitmap_FillRect(
    bitmap: number,
    left: number,
    top: number,
    width: number,
    height: number,
    color: number,
  ): void
  _FPDFBitmap_GetBuffer(bitmap: number): number
  _FPDFBitmap_GetStride(bitmap: number): number
  _FPDFBitmap_Destroy(bitmap: number): void
  _FPDF_RenderPageBitmap(
    bitmap: number,
    page: number,
    startX: number,
    startY: number,
    width: number,
    height: number,
    rotate: number,
    flags: number,
  ): void
  _FPDF_GetFormType(document: number): number
  _FPDFDOC_InitFormFillEnvironment(document: number, callbacks: number): number
  _FPDFDOC_ExitFormFillEnvironment(form: number): void
  _FPDFPage_GetAnnotCount(page: number): number
  _FPDFPage_GetAnnot(page: number, index: number): number
  _FPDFPage_CloseAnnot(annotation: number): void
  _FPDFAnnot_GetFormFieldType(form: number, annotation: number): number
  _FPDFAnnot_GetFormFieldFlags(form: number, annotation: number): number
  _FPDFAnnot_GetFormFieldName(form: number, annotation: number, to: number, size: number): number
  _FPDFAnnot_GetFormFieldAlternateName(form: number, annotation: number, to: number, size: number): number
  _FPDFAnnot_GetFormFieldValue(form: number, annotation: number, to: number, size: number): number
}

/** `fill` writes UTF-16 at an address and returns the number of bytes, including the zero at the end. */
export function utf16(pdfium: Pdfium, size: number, fill: (at: number) => number): string {
  const at = pdfium.wasmExports.malloc(size)
  try {
    const written = Math.min(fill(at), size)
    return Buffer.from(pdfium.HEAPU8.buffer, at, Math.max(0, written - 2)).toString('utf16le')
  } finally {
    pdfium.wasmExports.free(at)
  }
}

/** PDFium writes a hyphen at the end of a line as U+FFFE, and a glyph without a letter as control characters. */
export const cleaned = (text: string): string =>
  text
    .replace(/\uFFFE(?:\r?\n)?/g, '')
    .replace(/\r\n?/g, '\n')
    // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what a scan has in place of text
    .replace(/[\u0000-\u0008\u000B\u000C\u000E-\u001F\uFFFF]/g, '')
    .replace(/(?<![ \t])[ \t]+\n/g, '\n')
    .replace(/\n{3,}/g, '\n\n')
    .toWellFormed()
    .trim()
