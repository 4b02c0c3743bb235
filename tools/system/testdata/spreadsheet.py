"""Has LibreOffice compute formulas, and prints what the cells show: spreadsheet.py PIPE FILE

Each line of the file is a formula of one cell, from A1 downwards. Column B has the numbers 12 and 8.
"""

import json
import sys
import time

import uno
from com.sun.star.beans import PropertyValue
from com.sun.star.connection import NoConnectException


def option(name, value):
    p = PropertyValue()
    p.Name, p.Value = name, value
    return p


def connect(pipe):
    local = uno.getComponentContext()
    resolver = local.ServiceManager.createInstanceWithContext("com.sun.star.bridge.UnoUrlResolver", local)
    for _ in range(240):
        try:
            return resolver.resolve("uno:pipe,name=" + pipe + ";urp;StarOffice.ComponentContext")
        except NoConnectException:
            time.sleep(0.25)  # it is starting
    raise SystemExit("LibreOffice does not start")


context = connect(sys.argv[1])
desktop = context.ServiceManager.createInstanceWithContext("com.sun.star.frame.Desktop", context)
update = 3  # FULL_UPDATE: links are followed without a question
document = desktop.loadComponentFromURL("private:factory/scalc", "_blank", 0, (option("Hidden", True), option("UpdateDocMode", update)))
sheet = document.Sheets.getByIndex(0)
for row, number in enumerate((12, 8)):
    sheet.getCellByPosition(1, row).setValue(number)
with open(sys.argv[2], encoding="utf-8") as file:
    formulas = file.read().splitlines()
for row, formula in enumerate(formulas):
    sheet.getCellByPosition(0, row).setFormula(formula)
document.calculateAll()
cells = [sheet.getCellByPosition(0, row) for row in range(len(formulas))]
print(json.dumps([{"shows": c.getString(), "number": c.getValue(), "error": c.getError()} for c in cells]))
document.close(True)
desktop.terminate()
