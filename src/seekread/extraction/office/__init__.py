"""
Files of office programs (Word, PowerPoint, Excel) as HTML, which then takes the way of every page.

A translator says what a file shows and how it looks (colours, sizes); what nobody sees of it the wash decides, as it
does for pages. What a file itself calls hidden is counted and never becomes HTML.
"""
