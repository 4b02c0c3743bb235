package formula

import (
	"strings"
	"testing"
)

func TestNameOf(t *testing.T) {
	for symbol, want := range map[string]string{
		"P": "P", "w_0": "w_0", `P_{cr}`: "P_cr", `I_{xy}`: "I_xy", `R_{24}`: "R_24", `T_{c,i}`: "T_ci",
		`\sigma_1`: "sigma_1", `\varepsilon_m`: "varepsilon_m", `\kappa AG`: "kappaAG", `\Delta T_1`: "DeltaT_1",
		`\dot Q`: "Qdot", `\bar y`: "ybar", `\dot{m}_{in}`: "mdot_in", `\bar\sigma`: "sigmabar", `s_{\bar y}`: "s_ybar", `\overline{y}`: "ybar",
		`\mathrm{Re}`: "Re", `\mathrm{pf}_1`: "pf_1", `E_{\mathrm{J}}`: "E_J", `M_{\max}`: "M_max", `T_{\text{in} }`: "T_in", `a\,b`: "ab",
		"R^2": "", "s^2": "", "": "", "2x": "", "x_": "", "_x": "", "{x": "", "x}": "", `\`: "", `\bar`: "", `\bar_x`: "", "é": "", "x'": "",
		strings.Repeat("x", 101): "", strings.Repeat(`\bar`, 1<<20): "",
	} {
		if got, ok := NameOf(symbol); got != want || ok != (want != "") {
			t.Errorf("%.40s is called %q, want %q", symbol, got, want)
		}
	}
}

// symbols are the symbols of the engines. Each line has the symbols of one engine, or of
// several similar ones.
const symbols = `
V I R P
A R n \rho L \alpha T T_0
V_s V_f n I R R_{24} I_{24} P_R P_D
R_k R_p R_s
R C V_0 V_s t \tau v i f_c
R L I_0 V_s t \tau i v_L
R L C f_0 \omega_0 Z_0 Q \zeta B f_1 f_2
V_1 R_1 R_2 R_L V_2 I_1 R_T
I L V \rho A x \mathrm{pf} \Delta V u V_L P_c
P \mathrm{pf}_1 \mathrm{pf}_2 V f Q_C C
P t n p E E_{\mathrm{J}} C
P Q S \mathrm{pf} \varphi
r n P F A T I
p_1 \rho v_1 v_2 z_1 z_2 h_P h_L p_2
b y z S n A P R_h T V Q \mathrm{Fr}
\rho \mu D L e K Q V \mathrm{Re} f \Delta p h_L
E I L A K S_y P_{cr} \sigma_{cr} \lambda r P_E C_c
F E A L \alpha \Delta T \sigma \varepsilon_m \varepsilon_t \Delta\,L k U
E G K \nu \lambda
d D A I I_p S Z r
b_f t_f d t_w A I_x I_y S_x S_y Z_x Z_y r_x r_y
A U x_c y_c I_x I_y I_{xy} I_1 I_2 r_x r_y \theta_p
G d D n F C k \delta K_w \tau
L c b x w_0 w M_0 E I EI \kappa AG h \delta
L a x P E I EI \delta R_1 R_2 M_1 M_2 M_3 \delta_{\max} x_{\max} M_{\max} x_M \theta V_0
\sigma_x \sigma_y \tau_{xy} \sigma_1 \sigma_2 \theta_p \tau_{max} \sigma_v \sigma_T
p_i p_o r_i r_o r \sigma_r \sigma_h \sigma_a
T L D d G \tau_{max} \varphi J k_t
k m c \omega_n f_n c_c \zeta \omega_d
x_i y_i a b s s_a s_b \nu
y s_{\bar y} \bar y s n r_1
Z H T p \rho a \mu
t_i k_i d L h_1 h_2 T_1 T_2 R UA \dot Q D
T_{h,i} T_{h,o} T_{c,i} T_{c,o} UA F \Delta T_1 \Delta T_2 \Delta T_m \dot Q
\varepsilon T T_2 A q Q`

// The symbols of one engine have different names, and none has a name with a meaning of its
// own.
func TestNamesDiffer(t *testing.T) {
	for line := range strings.Lines(symbols) {
		names := map[string]string{}
		for symbol := range strings.FieldsSeq(strings.NewReplacer(`\Delta `, `\Delta_`, `\bar `, `\bar_`, `\dot `, `\dot_`, `\kappa `, `\kappa_`).Replace(line)) {
			symbol = strings.NewReplacer(`\Delta_`, `\Delta `, `\bar_`, `\bar `, `\dot_`, `\dot `, `\kappa_`, `\kappa `).Replace(symbol)
			name, ok := NameOf(symbol)
			if other, twice := names[name]; !ok || twice || Reserved(name) {
				t.Errorf("%s has the name %q, and so has %q", symbol, name, other)
			}
			names[name] = symbol
		}
	}
}
