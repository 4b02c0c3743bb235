"""Makes the workbooks of this directory with openpyxl, and computes them with LibreOffice.

Usage: python3 make.py DIRECTORY

openpyxl writes the formulas. LibreOffice reads them, computes them, and saves the results.
"""

import pathlib
import re
import subprocess
import sys
import tempfile
import zipfile

from openpyxl import Workbook
from openpyxl.workbook.defined_name import DefinedName


class Book:
    """A workbook with one row for each line of a calculation."""

    def __init__(self, sheet):
        self.book = Workbook()
        self.sheet = self.book.active
        self.sheet.title = sheet
        self.row = 0

    def title(self, *texts):
        self.row += 1
        for column, text in enumerate(texts, 1):
            if text is not None:
                self.sheet.cell(self.row, column, text)

    def line(self, label, name, value, unit=None, form=None, others=()):
        """Writes label, value and unit, and more values to the right of them."""
        self.row += 1
        self.sheet.cell(self.row, 1, label)
        cell = self.sheet.cell(self.row, 2, value)
        if unit is not None:
            self.sheet.cell(self.row, 3, unit)
        if form is not None:
            cell.number_format = form
        for column, other in enumerate(others, 4):
            self.sheet.cell(self.row, column, other)
        if name:
            self.name(name, f"$B${self.row}")

    def table(self, name, column, row, heads, rows):
        """Writes a table, and defines a name for its rows."""
        for i, head in enumerate(heads):
            self.sheet.cell(row, column + i, head)
        for j, values in enumerate(rows, 1):
            for i, value in enumerate(values):
                self.sheet.cell(row + j, column + i, value)
        if name:
            first, last = self.sheet.cell(row + 1, column), self.sheet.cell(row + len(rows), column + len(heads) - 1)
            self.name(name, f"${first.column_letter}${first.row}:${last.column_letter}${last.row}")

    def name(self, name, area):
        self.refer(name, f"'{self.sheet.title}'!{area}")

    def refer(self, name, text):
        self.book.defined_names.append(DefinedName(name, attr_text=text))


def beam():
    b = Book("Beam")
    b.title("Deflection of a simply supported beam")
    b.line("Uniform load", "q", 12.5, "kN/m")
    b.line("Span", "L", 6, "m")
    b.line("Elastic modulus", "E", 210, "GPa")
    b.line("Second moment of area", "I", 8356, "cm4")
    b.line("Section modulus", "W", 557, "cm3")
    b.line("Largest bending moment", "M", "=q*L^2/8", "kN m")
    b.line("Bending stress", "sigma", "=M*1000/W", "MPa")
    b.line("Deflection", "delta", "=5*q*L^4/(384*E*I)*10^5", "mm")
    b.line("Span over deflection", "ratio", "=L*1000/delta")
    return b


def voltage_drop():
    b = Book("Cable")
    b.line("Current", "I_b", 32, "A")
    b.line("Length", "len", 45, "m")
    b.line("Resistivity", None, 0.0225)
    b.line("Area", "A_c", 10, "mm²")
    b.line("Voltage", "U_n", 230, "V")
    b.line("Resistance of both conductors", None, "=2*B3*len/A_c", "ohm")
    b.line("Voltage drop", "dU", "=I_b*B6", "V")
    b.line("Relative voltage drop", "u_rel", "=dU/U_n", form="0.00%")
    b.line("Loss", "P_v", "=I_b^2*B6", form='0.0" W"')
    return b


def pipe_loss():
    b = Book("Pipe")
    b.line("Flow [m3/h]", "Q", 18.5)
    b.line("Inner diameter (mm)", "d_i", 54.5)
    b.line("Length", "L_p", 120, "m")
    b.line("Roughness", "k_s", 0.05, "mm")
    b.line("Density", "rho", 998.2, "kg/m³")
    b.line("Kinematic viscosity", "nu", 1.004, "mm²/s")
    b.line("Velocity", "v", "=(Q/3600)/(PI()*(d_i/1000)^2/4)", "m/s")
    b.line("Reynolds number", "Re", "=v*(d_i/1000)/(nu*10^-6)")
    b.line("Friction factor", "f_D", "=IF(Re<2300,64/Re,0.25/(LOG10(k_s/d_i/3.7+5.74/Re^0.9))^2)")
    b.line("Pressure loss", "dp", "=f_D*L_p/(d_i/1000)*rho*v^2/2/100000", "bar")
    return b


def cases():
    b = Book("Cases")
    b.line("Moment", "M_Ed", 85, "kN m")
    b.line("Resistance", "M_Rd", 120, "kN m")
    b.line("Utilization", "eta", "=M_Ed/M_Rd")
    b.line("Verdict", "verdict", '=IF(eta<=1,"OK","NOT OK")')
    b.line("Within limits", "within", "=AND(eta<=1,NOT(M_Ed<0))")
    b.line("Reserve", "reserve", "=IF(OR(eta>1,M_Ed<0),0,M_Rd-M_Ed)", "kN m")
    b.line("Allowance", "allowance", "=1.5*IF(M_Ed>50,2,1)+IF(within,0.25,0)")
    return b


def nested():
    b = Book("Nested if")
    b.line("Slenderness", "lam", 1.35)
    b.line("Curve", "curve", "b")
    b.line("Imperfection", "alpha", '=IF(curve="a",0.21,IF(curve="B",0.34,IF(curve="c",0.49,0.76)))')
    b.line(None, "phi", "=0.5*(1+alpha*(lam-0.2)+lam^2)")
    b.line("Reduction factor", "chi", "=IF(lam<=0.2,1,1/(phi+SQRT(phi^2-lam^2)))")
    b.line("Class", "class", "=IF(chi>0.8,1,IF(chi>0.5,2,IF(chi>0.3,3,4)))")
    b.line("Guarded root", "guarded", "=IF(lam<0,IF(SQRT(-lam)>1,2,3)+1,IF(SQRT(lam)>1,4,5)*2)")
    return b


def vlookup_exact():
    b = Book("Steel")
    b.line("Grade", "grade", "s355")
    b.line("Area", "A", 2850, "mm2")
    b.line("Yield strength", "f_y", "=VLOOKUP(grade,grades,2,FALSE)", "MPa")
    b.line("Resistance", "N_pl", "=A*f_y/1000", "kN")
    b.line("Tensile strength", "f_u", "=VLOOKUP(grade,$E$2:$G$5,3,0)", "MPa")
    b.table("grades", 5, 1, ["Grade", "fy [MPa]", "fu [MPa]"], [["S235", 235, 360], ["S275", 275, 430], ["S355", 355, 490], ["S460", 440, 540]])
    return b


def vlookup_approximate():
    b = Book("Wire")
    b.line("Current", "I_b", 27.5, "A")
    b.line("Fuse", None, "=VLOOKUP(I_b,ranges,2)")
    b.line("Area", "A_c", "=VLOOKUP(I_b,ranges,3,TRUE)", "mm2")
    b.line("Current density", "J", "=I_b/A_c")
    b.line("Fuse over current", "margin", "=B2/I_b")
    b.table("ranges", 5, 1, ["from", "fuse", "area"], [[0, 10, 1.5], [10, 16, 2.5], [16, 25, 4], [25, 32, 6], [32, 50, 10]])
    return b


def index_match():
    b = Book("Bolts")
    b.line("Diameter", "d", 16, "mm")
    b.line("Class", "bolt_class", "8.8")
    b.line("Stress area", "A_s", "=INDEX(areas,MATCH(d,sizes,0))", "mm2")
    b.line("Tensile strength", "f_ub", "=INDEX($H$2:$H$4,MATCH(bolt_class,$G$2:$G$4,0))", "MPa")
    b.line("Shear resistance", "F_v", "=0.6*f_ub*A_s/1.25/1000", "kN")
    b.line("Thickness", "t", 11, "mm")
    b.line("Next plate", "plate", "=INDEX($K$2:$K$5,MATCH(t,$K$2:$K$5,-1))", "mm")
    b.table("bolts", 4, 1, ["size", "area"], [[12, 84.3], [16, 157], [20, 245], [24, 353]])
    b.name("sizes", "$D$2:$D$5")
    b.name("areas", "$E$2:$E$5")
    b.table(None, 7, 1, ["class", "fub"], [["4.6", 400], ["8.8", 800], ["10.9", 1000]])
    b.table(None, 11, 1, ["plates"], [[20], [15], [12], [8]])
    return b


def sumproduct():
    b = Book("Section")
    b.line("Density", "rho", 7850, "kg/m3")
    b.line("Height", "h_1", 12, "mm")
    b.table(None, 5, 1, ["A", "y"], [[1200, "=h_1/2"], [800, 112], [950, 206], [None, None]])
    b.name("A_i", "$E$2:$E$5")
    b.line("Area", "A", "=SUM(A_i)", "mm2")
    b.line("Centroid", "y_s", "=SUMPRODUCT($E$2:$E$5,$F$2:$F$5)/SUM(E2:E5)", "mm")
    b.line("Mass per metre", "m", "=rho*A*10^-6", "kg/m")
    b.line("Largest area", "A_max", "=MAX(A_i)", "mm2")
    b.line("Least", "least", "=MIN(A_i,1000,h_1)")
    b.line("Average", "A_mean", "=AVERAGE(A_i)")
    return b


def rounding():
    b = Book("Rounding")
    b.line("Number", "x", -2.5)
    b.line("Other number", "y", -1234.567)
    for i, formula in enumerate(
        ["=ROUND(x,0)", "=ROUND(y,2)", "=ROUND(y,-2)", "=ROUNDUP(x,0)", "=ROUNDUP(y,1)", "=ROUNDDOWN(x,0)", "=ROUNDDOWN(y,-1)", "=INT(x)", "=INT(-x)", "=TRUNC(y)", "=MOD(x,3)", "=MOD(-x,-3)", "=ABS(x)", "=SIGN(y)", "=ROUND(2.675,2)"], 1
    ):
        b.line(f"Result {i}", f"r_{i}", formula)
    b.line("Length", "len", 12.3456, "m")
    b.line("Rounded length", "len_r", "=ROUND(len,2)", "m")
    b.line("Rounded up", "len_u", "=ROUNDUP(len*1000,0)", "mm")
    b.line("Speed", "n", 9, "rpm")
    b.line("Rounded speed", "n_r", "=ROUNDDOWN(n,2)", "rpm")
    b.line("Velocity", "v", 50.4, "km/h")
    b.line("Rounded velocity", "v_r", "=ROUNDUP(v,1)", "km/h")
    return b


def precedence():
    b = Book("Precedence")
    b.line("Number", "a", 3)
    for i, formula in enumerate(
        ["=-2^2", "=2^3^2", "=-a^2", "=0-a^2", "=2^-a", "=a*-2", "=-a^-2", "=(-a)^2", "=10-4-3", "=100/5/2", "=2*3^2", "=-(a+1)*2", "=2^-1^2", "=+a-+a--a", "=1/2*a", "=a^0.5^2"], 1
    ):
        b.line(f"Result {i}", f"p_{i}", formula)
    b.line("Larger", "larger", "=IF(-a^2>10,1,2)")
    return b


def percent():
    b = Book("Percent")
    b.line("Efficiency", "eff", 0.875, form="0.0%")
    b.line("Slip", "slip", 3, "%")
    b.line("Power", "P", 15, "kW")
    b.line("Input power", "P_in", "=P/eff", "kW")
    b.line("Speed", "n", "=1500*(1-slip%)", "rpm")
    b.line("Loss", "loss", "=1-eff", form="0.00%")
    b.line("Half of the slip", "half", "=slip/2", "%")
    b.line("Surcharge", "surcharge", "=P*5%*10%", "kW")
    return b


def blanks():
    b = Book("Blanks")
    b.line("Dead load", "g", 3.5, "kN/m2")
    b.line("Live load", "p", 2, "kN/m2")
    b.line("Snow load", None, None, "kN/m2")
    b.line("Wind load", "wind", None, "kN/m2")
    b.line("Total", "total", "=g+p+B3", "kN/m2")
    b.line("Design load", "design", "=1.35*g+1.5*(p+B3)+0.9*wind", "kN/m2")
    b.line("Sum", "sum_all", "=SUM(B1:B4)", "kN/m2")
    b.line("Largest", "largest", "=MAX(B1:B3)", "kN/m2")
    return b


def shared():
    b = Book("Shared")
    b.title("Layers of a wall", None, None, "thickness", "conductivity", "resistance")
    layers = [("Plaster", 0.015, 0.7), ("Brick", 0.24, 0.5), ("Insulation", 0.14, 0.035), ("Render", 0.02, 1)]
    for i, (name, d, k) in enumerate(layers, 2):
        b.sheet.cell(i, 3, name)
        b.sheet.cell(i, 4, d)
        b.sheet.cell(i, 5, k)
        b.sheet.cell(i, 6, f"=D{i}/E{i}*B$7")
        b.name(f"d_{i - 1}", f"$D${i}")
    b.row = 6
    b.line("Scale", "scale", 1)
    b.line("Resistance", "R_t", "=0.13+SUM(F2:F5)+0.04")
    b.line("Transmittance", "U", "=1/R_t")
    return b


def scenarios():
    b = Book("Scenarios")
    b.title("Column", "Base", None, "Short", "Long", "Slender")
    b.line("Length", "L_cr", 3.2, "m", others=[2, 4.5, 6])
    b.line("Elastic modulus", "E", 210, "GPa", others=[210, 210, 70])
    b.line("Second moment", "I_z", 1510, "cm4", others=[1510, 2840, 849])
    b.line("Area", "A", 78.1, "cm2", others=[78.1, 97.3, 53.8])
    b.line("Radius of gyration", "r_z", "=SQRT(B4/B5)", "cm", others=[f"=SQRT({c}4/{c}5)" for c in "DEF"])
    b.line("Slenderness", "lam", "=B2*100/B6", others=[f"={c}2*100/{c}6" for c in "DEF"])
    b.line("Critical load", "N_cr", "=PI()^2*B3*B4/B2^2/100", "kN", others=[f"=PI()^2*{c}3*{c}4/{c}2^2/100" for c in "DEF"])
    b.line("Kind", "slender", '=IF(B7>100,"slender","stocky")', others=[f'=IF({c}7>100,"slender","stocky")' for c in "DEF"])
    return b


def formats():
    b = Book("Formats")
    b.line("Force", "F", 12.5, form='0.00" kN"')
    b.line("Width", "b", 120, form='0" mm"')
    b.line("Height", "h", 240, form="0\\ \\m\\m")
    b.line("Temperature", "T", 85, "°C")
    b.line("Reference", "T_0", 68, "degF")
    b.line("Angle", "phi", 32.5, "deg")
    b.line("Area", "A", "=b*h", form='#,##0" mm2"')
    b.line("Stress", "sigma", "=F*1000/A", form='0.000" MPa"')
    b.line("Rise", "rise", "=T-(T_0-32)*5/9", "K")
    b.line("Mean temperature", "T_m", "=(T+(T_0-32)/1.8)/2", "degC")
    b.line("Component", "F_h", "=F*COS(RADIANS(phi))", form='0.00" kN"')
    b.line("Slope", "slope", "=DEGREES(ATAN(TAN(phi*PI()/180)/2))", "deg")
    b.line("Perimeter", "u", "=2*(b+h)", "mm")
    b.line("Diagonal", "diag", "=SQRT(b^2+h^2)", "mm")
    return b


def functions():
    b = Book("Functions")
    b.line("Number", "x", 0.75)
    b.line("Other", "y", 2.5)
    for i, formula in enumerate(
        ["=EXP(x)", "=LN(y)", "=LOG10(y)", "=LOG(y)", "=LOG(y,2)", "=POWER(y,x)", "=SIN(x)+COS(x)+TAN(x)", "=ASIN(x)+ACOS(x)+ATAN(y)", "=SINH(x)+COSH(x)+TANH(x)", "=SQRT(y)*PI()", "=MAX(x,y,1)-MIN(x,y)", "=PRODUCT(x,y,2)", "=((x))", "=1.5E-3*y", "=.5*x"], 1
    ):
        b.line(f"Result {i}", f"f_{i}", formula)
    return b


def sheets():
    """Two sheets, letters with marks, a switch, and a verdict as the first result."""
    b = Book("Eingabe Werte")
    b.line("Länge L:", "L", 4.5, "m")
    b.line("Breite [cm]", "b", 30)
    b.line("Werkstoff", "mat", "C24")
    b.line("Beiwert γ", "γ_M", 1.3, "-")
    b.line("Schnee", None, 0.85, "kN/m²")
    b.line("Einzelmoment", "Mü", 2, "kNm")
    b.line("Prüfung", "check", True)
    values = b.sheet.title
    b.sheet, b.row = b.book.create_sheet("Nachweis"), 0
    b.line("Urteil", "urteil", '=IF(AND(B5<=1,check),"Nachweis erfüllt","nicht erfüllt")')
    b.line("Festigkeit", "f_k", '=IF(mat="C24",24,IF(mat="C30",30,18))', "N/mm²")
    b.line("Bemessungswert", "f_d", "=f_k/γ_M", "MPa")
    b.line("Moment", "M", f"='{values}'!B5*L*L^2/8+Mü", "kNm")
    b.line("Ausnutzung", "eta", f"=M*10^6/('{values}'!B2*10*240^2/6)/f_d")
    return b


BOOKS = {f.__name__: f for f in [beam, voltage_drop, pipe_loss, cases, nested, vlookup_exact, vlookup_approximate, index_match, sumproduct, rounding, precedence, percent, blanks, shared, scenarios, formats, functions, sheets]}


def share(path):
    """Writes the formulas of F2:F5 as one shared formula, as other spreadsheet programs do."""
    with zipfile.ZipFile(path) as z:
        parts = [(i, z.read(i)) for i in z.infolist()]
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as z:
        for info, data in parts:
            if info.filename == "xl/worksheets/sheet1.xml":
                text, first = re.subn(r"<f[^>]*>(D2/E2\*B\$7)</f>", r'<f t="shared" ref="F2:F5" si="0">\1</f>', data.decode())
                text, others = re.subn(r"<f[^>]*>D[345]/E[345]\*B\$7</f>", '<f t="shared" si="0"/>', text)
                assert (first, others) == (1, 3)
                data = text.encode()
            z.writestr(info, data)


def compute(work, files, directory):
    """Computes workbooks with LibreOffice, and writes them into a directory."""
    profile = f"-env:UserInstallation=file://{work}/profile"
    to = str(pathlib.Path(directory).resolve())
    subprocess.run(["soffice", "--headless", profile, "--convert-to", "xlsx:Calc MS Excel 2007 XML", "--outdir", to, *files], check=True, stdout=subprocess.DEVNULL)


def main(directory):
    with tempfile.TemporaryDirectory() as work:
        for name, make in BOOKS.items():
            make().book.save(f"{work}/{name}.xlsx")
        compute(work, [f"{work}/{name}.xlsx" for name in BOOKS], directory)
    share(f"{directory}/shared.xlsx")


if __name__ == "__main__":
    main(sys.argv[1])
