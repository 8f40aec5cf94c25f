/** A product page of our own, bundled, from which the free preview is read. */
export const previewUrl = 'https://pottery.example/products/espresso-cup-48213'

export const previewPage = `<!doctype html>
<html lang="en-GB"><head><title>Espresso cup, blue - The Pottery</title>
<link rel="canonical" href="${previewUrl}">
<meta property="og:image" content="https://pottery.example/images/espresso-cup-blue.jpg">
<script type="application/ld+json">{
  "@context": "https://schema.org", "@type": "Product", "name": "Espresso cup, blue", "sku": "POT-48213",
  "description": "A stoneware cup for 80 ml, thrown and glazed by hand.",
  "brand": { "@type": "Brand", "name": "The Pottery" },
  "image": ["https://pottery.example/images/espresso-cup-blue.jpg"],
  "aggregateRating": { "@type": "AggregateRating", "ratingValue": "4.8", "bestRating": 5, "reviewCount": 57 },
  "offers": { "@type": "Offer", "price": "14.50", "priceCurrency": "GBP",
    "availability": "https://schema.org/InStock", "itemCondition": "https://schema.org/NewCondition" }
}</script></head>
<body><h1>Espresso cup, blue</h1><p class="price">£14.50</p><p class="stock">In stock</p><button>Add to basket</button>
<dl><dt>Model number</dt><dd>EC-80B</dd></dl></body></html>
`
