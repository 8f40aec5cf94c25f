/** Reads the values in the fields of a PDF form. They are not in the text of a page. */
import { cleaned, type Pdfium, utf16 } from './pdfium.ts'

export interface Form {
  /** A line for each filled field of the page: `name: value`. */
  linesOf(page: number): string[]
  close(): void
}

/** A value of FPDF_GetFormType. */
const noForm = 0
/** Values of FPDFAnnot_GetFormFieldType: check boxes, radio buttons, lists of two kinds, texts. */
const readTypes = new Set([2, 3, 4, 5, 6])
/** The value of an unchecked box or button. */
const unchecked = 'Off'
/** A flag of FPDFAnnot_GetFormFieldFlags: the value of the field is a password. */
const password = 1 << 13

/** The callbacks of FPDF_FORMFILLINFO take 140 bytes. We set none, because nobody types into this form. */
const callbacksBytes = 256
const callbacksVersion = 2
const longestText = 100_000
const mostAnnotations = 5_000

export function openForm(pdfium: Pdfium, document: number): Form | undefined {
  if (pdfium._FPDF_GetFormType(document) === noForm) return undefined
  const callbacks = pdfium.wasmExports.malloc(callbacksBytes)
  pdfium.HEAPU8.fill(0, callbacks, callbacks + callbacksBytes)
  pdfium.HEAPU8[callbacks] = callbacksVersion
  const form = pdfium._FPDFDOC_InitFormFillEnvironment(document, callbacks)
  return {
    linesOf: page => (form ? linesOf(pdfium, form, page) : []),
    close() {
      if (form) pdfium._FPDFDOC_ExitFormFillEnvironment(form)
      pdfium.wasmExports.free(callbacks)
    },
  }
}

function linesOf(pdfium: Pdfium, form: number, page: number): string[] {
  // A field at several places of a page has one value.
  const lines = new Set<string>()
  const annotations = Math.min(pdfium._FPDFPage_GetAnnotCount(page), mostAnnotations)
  for (let i = 0; i < annotations; i++) {
    const annotation = pdfium._FPDFPage_GetAnnot(page, i)
    if (!annotation) continue
    const line = lineOf(pdfium, form, annotation)
    pdfium._FPDFPage_CloseAnnot(annotation)
    if (line) lines.add(line)
  }
  return [...lines]
}

function lineOf(pdfium: Pdfium, form: number, annotation: number): string | undefined {
  type Get = (form: number, annotation: number, to: number, size: number) => number
  const textOf = (get: Get): string => {
    const size = get(form, annotation, 0, 0)
    if (size <= 2 || size > longestText) return ''
    return cleaned(utf16(pdfium, size, at => get(form, annotation, at, size)))
  }
  if (!readTypes.has(pdfium._FPDFAnnot_GetFormFieldType(form, annotation))) return undefined
  if (pdfium._FPDFAnnot_GetFormFieldFlags(form, annotation) & password) return undefined
  const value = textOf(pdfium._FPDFAnnot_GetFormFieldValue)
  if (!value || value === unchecked) return undefined
  const name =
    textOf(pdfium._FPDFAnnot_GetFormFieldAlternateName) || textOf(pdfium._FPDFAnnot_GetFormFieldName)
  return name ? `${name.replace(/\s+/g, ' ')}: ${value}` : value
}
